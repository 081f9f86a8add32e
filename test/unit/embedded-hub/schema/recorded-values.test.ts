import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { validateCustomObject } from "../../../../src/embedded-hub/rules/validate-custom-object.ts";
import { applyDefaults } from "../../../../src/embedded-hub/schema/apply-defaults.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { decodeCustom } from "../../../../src/embedded-hub/types/decode-custom.ts";

/** Field, reason and message of what is wrong. */
type Causes = readonly (readonly [string, string, string])[];

/**
 * What kube-apiserver 1.34.4 answered to creates of custom objects with such a `spec`; and to updates of objects that had been stored
 * before there was a schema.
 */
interface Recorded {
  readonly schema: Schema;
  readonly created: readonly (readonly [spec: JsonObject, causes: Causes])[];
  readonly changed: readonly (readonly [old: JsonObject, spec: JsonObject, causes: Causes])[];
}

const file = new URL("golden/values.json", import.meta.url);
const { schema, created, changed } = JSON.parse(readFileSync(file, "utf8")) as Recorded;

function complete(spec: JsonObject): JsonObject {
  return applyDefaults(decodeCustom({ apiVersion: "a/v1", kind: "A", spec }, schema).object, schema);
}

function causesOf(spec: JsonObject, old?: JsonObject): readonly Json[] {
  const before = old === undefined ? {} : { old: complete(old) };
  const { errors } = validateCustomObject({ object: complete(spec), schema, ...before });
  return errors.map(({ field, reason, message }) => [field, reason, message]).sort();
}

describe("values of custom objects that were recorded", () => {
  it.each(created.map(([spec, causes]) => [JSON.stringify(spec), spec, causes] as const))(
    "%s is valid, or refused for the same",
    (_text, spec, causes) => {
      expect(causesOf(spec)).toEqual([...causes].sort());
    },
  );

  const changes = changed.map(([old, spec, causes]) => {
    const title = `${JSON.stringify(old)} may become ${JSON.stringify(spec)}`;
    return { title, old, spec, causes };
  });
  it.each(changes)("$title, or is refused for the same", ({ old, spec, causes }) => {
    expect(causesOf(spec, old)).toEqual([...causes].sort());
  });
});
