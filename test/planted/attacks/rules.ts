import type { FaultRow } from "../attack-faults.ts";

/** Faults in rules of policies and definitions, and in what evaluates them. */
export const ruleFaults: readonly FaultRow[] = [
  {
    number: "A212",
    name: "what searching in an empty text costs",
    test: "unit/cel/time-of-units.test.ts",
    file: "src/cel/library-strings.ts",
    from: "  Math.max(ofBoth(values), traversalCost(values[0]) + traversalCost(values[1]));",
    to: "  ofBoth(values);",
  },
  {
    number: "A212",
    name: "parameters of a URL that are added to those of their name",
    test: "unit/cel/time-of-units.test.ts",
    file: "src/cel/url-parts.ts",
    from: "    else known.push(value);",
    to: "    else query.set(name, [...known, value]);",
  },
  {
    number: "A212",
    name: "what a zone by its name costs",
    test: "unit/cel/time-of-units.test.ts",
    file: "src/cel/library-time.ts",
    from: "const unitsOfNamedZone = 250;",
    to: "const unitsOfNamedZone = 1;",
  },
  {
    number: "A214",
    name: "the bound of the parts of a type",
    test: "unit/cel/cel-type.test.ts",
    file: "src/cel/cel-type.ts",
    from: "const mostParts = 200;",
    to: "const mostParts = 1_000_000;",
  },
  {
    number: "A215",
    name: "what a text of a value costs",
    test: "unit/cel/nested-cost.test.ts",
    file: "src/cel/library-strings.ts",
    from: "      takeWritten(values[1], meter);\n",
    to: "",
  },
  {
    number: "A224",
    name: "the variables of a policy that are checked once for a kind",
    test: "unit/embedded-hub/admission/type-check-policy.test.ts",
    file: "src/embedded-hub/admission/type-check-policy.ts",
    from: "    const faults = kinds.flatMap(({ definition, variables }) => {",
    to: "    const faults = kinds.flatMap(({ definition }) => {\n      const variables = policyVariables(withVariables(policy, { hasParams, hasAuthorizer: true }).scope);",
  },
  {
    number: "A222",
    name: "the bound of digits that a rule reads as a number",
    test: "unit/cel/library-cost.test.ts",
    file: "src/cel/library-conversions.ts",
    from: ".length > mostDigits) throw inconvertible(type);",
    to: ".length > mostDigits ** 9) throw inconvertible(type);",
  },
];
