import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateDefaults } from "../../../../src/embedded-hub/resources/validate-crd-defaults.ts";

const text = { type: "string", maxLength: 5 };

function rule(expression: string, rest: JsonObject = {}): JsonObject {
  return { "x-kubernetes-validations": [{ rule: expression, ...rest }] };
}

const embedded = { type: "object", "x-kubernetes-embedded-resource": true, properties: { a: text } };

const rows: readonly { readonly reason: string; readonly property: JsonObject; readonly faults: readonly string[] }[] =
  [
    { reason: "it holds for the rule", property: { ...text, default: "b", ...rule("self == 'b'") }, faults: [] },
    {
      reason: "its own rule refuses it",
      property: { ...text, default: "a", ...rule("self == 'b'") },
      faults: ["default: Invalid value: \"string\": failed rule: self == 'b'"],
    },
    {
      reason: "a rule of a change refuses it once, not twice",
      property: { ...text, default: "c", ...rule("self == oldSelf && self != 'c'", { message: "no c" }) },
      faults: ['default: Invalid value: "string": no c'],
    },
    {
      reason: "a rule below refuses a part of it",
      property: { type: "object", default: { x: "q" }, properties: { x: { ...text, ...rule("self != 'q'") } } },
      faults: ["default.x: Invalid value: \"string\": failed rule: self != 'q'"],
    },
    {
      reason: "items of a list have fields that the schema does not declare",
      property: { type: "array", default: [{ b: 1 }], items: { type: "object", properties: { a: text } } },
      faults: ['default: Invalid value: [{"b":1}]: must not have unknown fields'],
    },
    {
      reason: "an object within the object has no kind",
      property: { ...embedded, default: { apiVersion: "v1" } },
      faults: ["default.kind: Required value"],
    },
    {
      reason: "an object within the object is whole",
      property: { ...embedded, default: { apiVersion: "v1", kind: "A" } },
      faults: [],
    },
  ];

describe("the defaults of a definition", () => {
  it.each(rows)("are refused where $reason: $faults", ({ property, faults }) => {
    const errors = validateDefaults({ type: "object", properties: { f: property } }, "schema");
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(
      faults.map((fault) => `schema.properties[f].${fault}`),
    );
  });

  it("are not held to rules when the rules of those before have cost too much", () => {
    const dear = rule("[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, a > b - 9)))");
    const list = { type: "array", items: { type: "integer", ...dear }, default: Array.from({ length: 900 }, () => 1) };
    const refused = { ...text, default: "a", ...rule("self == 'b'") };
    const before = validateDefaults({ type: "object", properties: { refused, list } }, "schema");
    expect(before.map(({ field }) => field)).toEqual(["schema.properties[refused].default"]);
    expect(validateDefaults({ type: "object", properties: { list, refused } }, "schema")).toEqual([]);
  });
});
