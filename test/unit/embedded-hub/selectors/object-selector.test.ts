import { describe, expect, it } from "vitest";
import { fits, matchesSelector, requirementsOf } from "../../../../src/embedded-hub/selectors/object-selector.ts";

const labelSets = { none: {}, empty: { env: "" }, prod: { env: "prod", site: "a" }, test: { env: "test" } };

/** The names of the sets of labels that a selector fits, by both ways to read it. */
function fitting(selector: unknown): readonly string[] {
  const requirements = requirementsOf(selector);
  return Object.entries(labelSets).flatMap(([name, labels]) => {
    const isFitting = requirements?.every((one) => fits(one, labels)) === true;
    expect(matchesSelector(selector, labels)).toBe(isFitting);
    return isFitting ? [name] : [];
  });
}

function expressions(...matchExpressions: readonly object[]): object {
  return { matchExpressions };
}

describe("a LabelSelector", () => {
  it.each<[unknown, readonly string[]]>([
    [undefined, []],
    [null, []],
    [{}, ["none", "empty", "prod", "test"]],
    [{ matchLabels: { env: "prod" } }, ["prod"]],
    [{ matchLabels: { env: "" } }, ["empty"]],
    [{ matchLabels: { env: "prod", site: "a" } }, ["prod"]],
    [{ matchLabels: { env: "prod", site: "b" } }, []],
    [{ matchLabels: { constructor: "a" } }, []],
    [{ matchLabels: { env: "prod" }, ...expressions({ key: "site", operator: "DoesNotExist" }) }, []],
    [expressions({ key: "env", operator: "In", values: ["prod", "test"] }), ["prod", "test"]],
    [expressions({ key: "env", operator: "NotIn", values: ["prod", "test"] }), ["none", "empty"]],
    [expressions({ key: "env", operator: "Exists" }), ["empty", "prod", "test"]],
    [expressions({ key: "env", operator: "DoesNotExist" }), ["none"]],
    [expressions({ key: "toString", operator: "Exists" }), []],
    [expressions({ key: "env", operator: "Exists" }, { key: "site", operator: "Exists" }), ["prod"]],
    [expressions({ key: "env", operator: "Exists" }, { key: "env", operator: "Like" }), []],
  ])("fits labels: %j", (selector, names) => {
    expect(fitting(selector)).toEqual(names);
  });

  it("that selects everything fits an object without labels", () => {
    expect([matchesSelector({}, undefined), matchesSelector({ matchLabels: { a: "b" } }, undefined)]).toEqual([
      true,
      false,
    ]);
  });
});
