import { expect, it } from "vitest";
import { compileConditions } from "../../../../src/embedded-hub/admission/compile-policy.ts";
import { validateMatchConditions } from "../../../../src/embedded-hub/admission/validate-match-conditions.ts";

function faultsOf(conditions: readonly { readonly name: string; readonly expression: string }[]): string[] {
  const compiled = compileConditions(conditions, { hasParams: false, hasAuthorizer: true });
  return validateMatchConditions(conditions, compiled, "c").map(({ field, reason }) => `${field} ${reason}`);
}

it("refuses conditions without name or expression, with one name, and those that do not compile", () => {
  expect(faultsOf([{ name: "a", expression: "true" }])).toEqual([]);
  expect(
    faultsOf([
      { name: "", expression: " " },
      { name: "a", expression: "1" },
      { name: "a", expression: "true" },
      { name: "a b", expression: "true" },
    ]),
  ).toEqual([
    "c[0].expression FieldValueRequired",
    "c[0].name FieldValueRequired",
    "c[1].expression FieldValueInvalid",
    "c[2].name FieldValueDuplicate",
    "c[3].name FieldValueInvalid",
  ]);
});

it("refuses more than 64 conditions", () => {
  const conditions = Array.from({ length: 65 }, (_, index) => ({ name: `a${index}`, expression: "true" }));
  expect(faultsOf(conditions)).toEqual(["c FieldValueTooMany"]);
});
