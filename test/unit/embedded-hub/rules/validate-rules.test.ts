import { expect, it } from "vitest";
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
