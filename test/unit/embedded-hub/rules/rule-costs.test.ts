import { expect, it } from "vitest";
import { validateRuleCosts } from "../../../../src/embedded-hub/rules/rule-costs.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

const integer: Schema = { type: "integer" };

it("reads the properties of a schema no more often for many rules than for one", () => {
  const readsWith = (count: number): number => {
    let reads = 0;
    const properties = {
      get other() {
        reads += 1;
        return integer;
      },
      size: integer,
    };
    const rules = Array.from({ length: count }, () => ({ rule: "self.size > 0" }));
    expect(validateRuleCosts({ type: "object", properties, "x-kubernetes-validations": rules }, "schema")).toEqual([]);
    return reads;
  };
  expect(readsWith(50)).toBe(readsWith(1));
});
