import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateCustomObject } from "../../../../src/embedded-hub/rules/validate-custom-object.ts";
import type { ScalePaths } from "../../../../src/embedded-hub/rules/validate-scale.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

/** What kube-apiserver 1.34 answered to creates, updates and writes of status under one schema. */
interface Recording {
  readonly schema: Schema;
  readonly scale?: ScalePaths;
  readonly answers: readonly Answer[];
}

interface Answer {
  /** It was in store before its kind had this schema. Absent of a create. */
  readonly old?: JsonObject;
  readonly object: JsonObject;
  readonly isStatus?: boolean;
  /** In any order. */
  readonly causes?: readonly string[];
  readonly warnings?: readonly string[];
}

const file = new URL("golden/changes.json", import.meta.url);
const recordings = JSON.parse(readFileSync(file, "utf8")) as readonly Recording[];

function answerTo({ schema, scale }: Recording, { old, object, isStatus = false }: Answer) {
  const { errors, warnings } = validateCustomObject({
    ...{ object, schema, isStatus },
    ...(old === undefined ? {} : { old }),
    ...(scale === undefined ? {} : { scale }),
  });
  return { causes: errors.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort(), warnings };
}

describe("writes of custom objects that were recorded", () => {
  const cases = recordings.flatMap((recording, index) =>
    recording.answers.map(
      (answer) => [`${index} ${JSON.stringify(answer.object["spec"])}`, recording, answer] as const,
    ),
  );
  it.each(cases)("%s", (_name, recording, answer) => {
    const { causes = [], warnings = [] } = answer;
    expect(answerTo(recording, answer)).toEqual({ causes: [...causes].sort(), warnings });
  });
});
