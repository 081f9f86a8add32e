import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexSelectors } from "../../../src/model/selector-index.ts";
import type { ClusterSelector } from "../../../src/model/selector.ts";
import { isMonotone, matchesSelector } from "../../../src/model/selector.ts";

const subject = { name: "eu-1", labels: { env: "prod", region: "eu" } };

describe("matchesSelector", () => {
  it.each<{ selector: ClusterSelector | undefined; matches: boolean; reason: string }>([
    { selector: undefined, matches: false, reason: "no selector means nothing" },
    { selector: {}, matches: true, reason: "an empty selector means everything" },
    { selector: { names: ["us-*", "eu-?"] }, matches: true, reason: "one of the names fits" },
    { selector: { names: ["us-*"] }, matches: false, reason: "no name fits" },
    { selector: { names: [] }, matches: false, reason: "no name is given to fit" },
    { selector: { matchLabels: { env: "prod", region: "eu" } }, matches: true, reason: "all labels are equal" },
    { selector: { matchLabels: { env: "prod", region: "us" } }, matches: false, reason: "one label differs" },
    { selector: { matchLabels: { constructor: "x" } }, matches: false, reason: "labels are own properties" },
    { selector: { names: ["eu-1"], matchLabels: { env: "dev" } }, matches: false, reason: "all parts must hold" },
    { selector: expression("env", "In", ["dev", "prod"]), matches: true, reason: "the value is among them" },
    { selector: expression("tier", "In", ["gold"]), matches: false, reason: "In needs the key" },
    { selector: expression("env", "NotIn", ["dev"]), matches: true, reason: "the value is not among them" },
    { selector: expression("tier", "NotIn", ["gold"]), matches: true, reason: "NotIn holds without the key" },
    { selector: expression("env", "NotIn", ["prod"]), matches: false, reason: "the value is among them" },
    { selector: expression("env", "Exists"), matches: true, reason: "the key is there" },
    { selector: expression("toString", "Exists"), matches: false, reason: "an inherited key is no label" },
    { selector: expression("tier", "DoesNotExist"), matches: true, reason: "the key is not there" },
    { selector: expression("env", "DoesNotExist"), matches: false, reason: "the key is there" },
  ])("$matches: $reason", ({ selector, matches }) => {
    expect(matchesSelector(selector, subject)).toBe(matches);
  });

  it("takes a subject without labels", () => {
    expect(matchesSelector({ matchLabels: { env: "prod" } }, { name: "eu-1" })).toBe(false);
  });
});

describe("isMonotone", () => {
  it("is false for selectors that further labels can stop from matching", () => {
    const operators = ["In", "Exists", "NotIn", "DoesNotExist"] as const;
    expect(operators.map((operator) => isMonotone(expression("env", operator, ["a"])))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("indexSelectors", () => {
  it("finds exactly the rules that match, in their order", () => {
    const key = fc.constantFrom("a", "b", "constructor");
    const value = fc.constantFrom("1", "2", "=");
    const labels = fc.dictionary(key, value);
    const selector: fc.Arbitrary<ClusterSelector> = fc.record(
      {
        names: fc.array(fc.constantFrom("x", "y", "x*"), { maxLength: 2 }),
        matchLabels: labels,
        matchExpressions: fc.array(
          fc.record({
            key,
            operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
            values: fc.array(value, { maxLength: 2 }),
          }),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: [] },
    );
    const rules = fc.array(fc.option(selector, { nil: undefined }), { maxLength: 8 });
    fc.assert(
      fc.property(rules, fc.constantFrom("x", "y", "xy"), labels, (selectors, name, ownLabels) => {
        const one = { name, labels: ownLabels };
        const numbered = selectors.map((item, number) => ({ item, number }));
        const found = indexSelectors(numbered, ({ item }) => item).matching(one);
        expect(found).toEqual(numbered.filter(({ item }) => matchesSelector(item, one)));
      }),
    );
  });
});

function expression(
  key: string,
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist",
  values?: string[],
): ClusterSelector {
  return { matchExpressions: [values === undefined ? { key, operator } : { key, operator, values }] };
}
