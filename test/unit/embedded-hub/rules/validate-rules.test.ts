import { describe, expect, it } from "vitest";
import { compileRules } from "../../../../src/embedded-hub/rules/rule-tree.ts";
import { validateRules } from "../../../../src/embedded-hub/rules/validate-rules.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

const integer: Schema = { type: "integer" };
const schema: Schema = {
  type: "object",
  properties: {
    kept: { type: "object", additionalProperties: integer },
    removed: integer,
    list: {
      type: "array",
      items: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 2" }] },
    },
  },
};

it("compares an object with the stored one once, however many of its values fail a rule", () => {
  const tree = compileRules(schema);
  if (tree === undefined) throw new Error("the schema has a rule");
  const readsWith = (failures: number): number => {
    let reads = 0;
    const kept = {
      get a() {
        reads += 1;
        return 1;
      },
    };
    const object = { kept: { a: 1 }, list: Array.from({ length: failures }, () => 3) };
    const { errors } = validateRules(tree, object, { old: { kept, removed: 1 } });
    expect(errors).toHaveLength(failures);
    return reads;
  };
  expect(readsWith(50)).toBe(readsWith(1));
});

describe("an object whose rules cost more than its budget", () => {
  const rules = (...all: readonly object[]): Schema =>
    ({ ...integer, "x-kubernetes-validations": all }) as unknown as Schema;
  const over = "validation failed due to running out of cost budget, no further validation rules will be run";
  const message =
    "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
  const withMessage = rules({ rule: "self > 1", messageExpression: "'is ' + string(self)" }, { rule: "self > 2" });
  it.each([
    { what: "refused before the first rule without any", size: rules({ rule: "self > 1" }), budget: 0, texts: [over] },
    { what: "refused after a rule that costs more", size: rules({ rule: "self > 1" }), budget: 1, texts: [over] },
    {
      what: "refused before the next rule when all is spent",
      size: rules({ rule: "self > 0" }),
      budget: 2,
      texts: [over],
    },
    { what: "taken when it spends all", size: rules({ rule: "self > 0" }), budget: 4, texts: [] },
    {
      ...{ what: "refused by what ran before", size: rules({ rule: "self > 1" }, { rule: "self > 2" }), budget: 3 },
      texts: ["failed rule: self > 1", over],
    },
    { what: "refused where a message costs more", size: withMessage, budget: 3, texts: [message] },
  ])("is $what", ({ size, budget, texts }) => {
    const tree = compileRules({ type: "object", properties: { size, other: rules({ rule: "self > 9" }) } });
    if (tree === undefined) throw new Error("the schema has rules");
    const found = validateRules(tree, { size: 1, other: 10 }, { budget });
    expect(found.errors.map((error) => error.message.replace(/^Invalid value: "integer": /u, ""))).toEqual(texts);
    expect(found.budget).toBe(texts.length === 0 ? 0 : -1);
  });
});

it.each<readonly [string, Schema, string]>([
  ["any value", { "x-kubernetes-preserve-unknown-fields": true }, ""],
  ["a list of any values", { type: "array", items: {} }, "array"],
])("refuses %s that has rules, which expressions cannot see", (_what, schema, type) => {
  const tree = compileRules({ ...schema, "x-kubernetes-validations": [{ rule: "true" }] });
  if (tree === undefined) throw new Error("the schema has a rule");
  const text = "rule compiler initialization error: failed to convert to declType for CEL validation rules";
  const message = `Invalid value: ${JSON.stringify(type)}: ${text}`;
  expect(validateRules(tree, {}).errors).toEqual([{ field: "<nil>", reason: "FieldValueInvalid", message }]);
});
