import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { encodeOpenApiV2 } from "../../../../src/embedded-hub/discovery/openapi-v2-protobuf.ts";
import { fieldsAt } from "./protobuf-fields.ts";

/** The fields of the schema of a definition: document, definitions, its first entry, value. */
function schemaFields(own: JsonObject, ...path: readonly number[]): string[] {
  return fieldsAt(encodeOpenApiV2({ definitions: { Thing: own } }), 9, 1, 2, ...path);
}

describe("a document of OpenAPI v2 in protobuf", () => {
  it("has its texts and definitions, in their order, and no paths", () => {
    const document = encodeOpenApiV2({
      ...{ swagger: "2.0", info: { title: "T", version: "v" }, paths: {} },
      definitions: { A: { type: "object" }, B: {} },
    });
    expect(fieldsAt(document).map((field) => field.split(":")[0])).toEqual(["1", "2", "8", "9"]);
    expect(fieldsAt(document)[0]).toBe("1:2.0");
    expect(fieldsAt(document, 2)).toEqual(["1:T", "2:v"]);
    expect(fieldsAt(document, 8)).toEqual([]);
    expect(fieldsAt(document, 9).map((entry) => entry.slice(2))).toHaveLength(2);
    expect(fieldsAt(document, 9, 1)).toEqual(["1:A", expect.stringMatching(/^2:/u)]);
    expect(schemaFields({ required: ["b", "a"] })).toEqual(["19:b", "19:a"]);
    expect(fieldsAt(encodeOpenApiV2({}))).toEqual(["2:", "8:", "9:"]);
  });

  it.each<readonly [string, JsonObject, readonly number[], readonly string[]]>([
    ["a reference", { $ref: "#/definitions/Other" }, [], ["1:#/definitions/Other"]],
    ["texts", { format: "f", title: "t", description: "d", pattern: "p" }, [], ["13:p", "2:f", "3:t", "4:d"]],
    ["empty texts and other values", { format: "", title: 5, description: null }, [], []],
    ["bounds", { multipleOf: 2, maximum: 1.5, minimum: -1 }, [], ["6=2", "7=1.5", "9=-1"]],
    ["bounds that are none", { maximum: "x", maxLength: "x", uniqueItems: "x" }, [], []],
    ["truths", { exclusiveMaximum: true, exclusiveMinimum: true, uniqueItems: true }, [], ["10=1", "16=1", "8=1"]],
    ["untruths", { exclusiveMaximum: false }, [], []],
    [
      "counts of texts and lists",
      { maxLength: 3, minLength: 0, maxItems: 4, minItems: 1 },
      [],
      ["11=3", "12=0", "14=4", "15=1"],
    ],
    ["counts of properties", { maxProperties: 300, minProperties: 2 }, [], ["17=300", "18=2"]],
    ["required names", { required: ["b", "a"] }, [], ["19:b", "19:a"]],
    ["enumerated values", { enum: ["b", 1] }, [], ['20:\u0012\u0004"b"\n', "20:\u0012\u00021\n"]],
    ["a type", { type: "object" }, [22], ["1:object"]],
    ["items", { items: { format: "f" } }, [23, 1], ["2:f"]],
    ["other values", { additionalProperties: { format: "f" } }, [21, 1], ["2:f"]],
    ["any other values", { additionalProperties: true }, [21], ["2=1"]],
    ["no other values", { additionalProperties: false }, [21], ["2=0"]],
    ["properties", { properties: { a: { format: "f" }, b: {} } }, [25, 1], ["1:a", "2:\u0012\u0001f"]],
    ["properties that are none", { properties: null, items: [], type: 5, required: 5, enum: "x" }, [], []],
    ["an extension", { "x-a": { b: 1 } }, [31], ["1:x-a", '2:\u0012\b{"b":1}\n']],
    ["an extension without a value", { "x-a": undefined }, [], []],
  ])("has %s", (_what, schema, path, fields) => {
    expect(schemaFields(schema, ...path).sort()).toEqual([...fields].sort());
  });
});
