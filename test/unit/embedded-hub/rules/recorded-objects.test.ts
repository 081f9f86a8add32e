import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateCustomObject } from "../../../../src/embedded-hub/rules/validate-custom-object.ts";
import { applyDefaults } from "../../../../src/embedded-hub/schema/apply-defaults.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { decodeCustom } from "../../../../src/embedded-hub/types/decode-custom.ts";

/** What kube-apiserver 1.34 answered to creates of random custom objects. */
interface Recording {
  readonly schema: Schema;
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly object: JsonObject;
  readonly warnings?: readonly string[];
  /** Of an object that was taken: with defaults. */
  readonly spec?: unknown;
  /** Why it could not be read. */
  readonly error?: string;
  /** What it was refused for, in any order. */
  readonly causes?: readonly string[];
}

const file = new URL("golden/custom-objects.json", import.meta.url);
const { schema, answers } = JSON.parse(readFileSync(file, "utf8")) as Recording;

function answerTo(object: JsonObject): Omit<Answer, "object"> {
  const { object: decoded, error, unknownFields } = decodeCustom(object, schema);
  const warnings = unknownFields.length === 0 ? {} : { warnings: unknownFields };
  if (error !== undefined) return { error };
  const { status: _, ...complete } = applyDefaults(decoded, schema);
  const { errors } = validateCustomObject({ object: complete, schema });
  if (errors.length === 0) return { ...warnings, spec: complete["spec"] };
  return { ...warnings, causes: errors.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort() };
}

describe("custom objects that were recorded", () => {
  it.each(answers.map((answer, index) => [index, answer] as const))("%d", (_index, { object, ...answer }) => {
    const sorted = answer.causes === undefined ? answer : { ...answer, causes: [...answer.causes].sort() };
    expect(answerTo(object)).toEqual(sorted);
  });
});
