import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { warnOfFormats } from "../../../../src/embedded-hub/resources/warn-of-formats.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function crdOf(...schemas: readonly (JsonObject | undefined)[]): KubeObject {
  const versions = schemas.map((openAPIV3Schema) =>
    openAPIV3Schema === undefined ? {} : { schema: { openAPIV3Schema } },
  );
  return { apiVersion: "v1", kind: "CustomResourceDefinition", metadata: { name: "a" }, spec: { versions } };
}

const of = (format: string, type = "string"): JsonObject => ({ type, format });
const warningOf = (format: string): string => `unrecognized format "${format}"`;

describe("a definition with formats that no API server checks", () => {
  it.each([
    ["at its root", of("odd"), ["odd"]],
    ["of a property", { properties: { a: of("odd"), b: {} } }, ["odd"]],
    ["of items", { items: of("odd") }, ["odd"]],
    ["of values of a map", { additionalProperties: of("odd") }, ["odd"]],
    ["far below", { properties: { a: { items: { additionalProperties: of("odd") } } } }, ["odd"]],
    ["of no text", { properties: { a: of("odd", "integer"), b: { format: "odd" } } }, []],
    ["that are known", { properties: { a: of("date-time"), b: of(""), c: { type: "string" } } }, []],
    ["in another order, and twice", { properties: { a: of("z"), b: of("a"), c: of("z") } }, ["a", "z"]],
    ["where there is no schema", { additionalProperties: true, properties: 1 }, []],
  ] as const)("has a warning for each: %s", (_where, schema, formats) => {
    expect(warnOfFormats(crdOf(schema), undefined)).toEqual(formats.map(warningOf));
  });

  it("has none for those that it had, in whatever version", () => {
    const old = crdOf(undefined, of("old"));
    expect(warnOfFormats(crdOf(of("old"), { properties: { a: of("new") } }), old)).toEqual([warningOf("new")]);
    expect(warnOfFormats(old, old)).toEqual([]);
  });
});
