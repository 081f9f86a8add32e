import { describe, expect, it } from "vitest";
import { countConditions, indexSelectors } from "../../../src/model/selector-index.ts";
import type { ClusterSelector } from "../../../src/model/selector.ts";

interface Rule {
  readonly id: string;
  readonly selector: ClusterSelector | undefined;
}

const zone = { key: "zone", operator: "Exists" } as const;
const rules: readonly Rule[] = [
  { id: "none", selector: undefined },
  { id: "all", selector: {} },
  { id: "named", selector: { names: ["a", "b", "a"], matchLabels: { env: "prod" } } },
  { id: "glob", selector: { names: ["a*", "b"] } },
  { id: "prod", selector: { matchLabels: { env: "prod" } } },
  { id: "prod-eu", selector: { matchLabels: { env: "prod", region: "eu" } } },
  { id: "zone", selector: { matchExpressions: [zone] } },
  { id: "sizes", selector: { matchExpressions: [{ key: "size", operator: "In", values: ["s", "m"] }] } },
  { id: "not-eu", selector: { matchExpressions: [{ key: "region", operator: "NotIn", values: ["eu"] }] } },
];
const index = indexSelectors(
  rules,
  ({ selector }) => selector,
  () => 10,
);

describe("indexSelectors", () => {
  it.each<{ name: string; labels?: Record<string, string>; ids: string[]; cost: number }>([
    // "all", "glob" (2 conditions) and "not-eu" (1) are tried on every subject.
    { name: "x", ids: ["all", "not-eu"], cost: 33 },
    { name: "abc", ids: ["all", "glob", "not-eu"], cost: 33 },
    { name: "a", ids: ["all", "glob", "not-eu"], cost: 33 + 14 },
    { name: "b", labels: { env: "prod" }, ids: ["all", "named", "glob", "prod", "not-eu"], cost: 33 + 14 + 11 },
    { name: "x", labels: { env: "prod" }, ids: ["all", "prod", "not-eu"], cost: 33 + 11 },
    // The label of the region is demanded by fewer rules than that of the environment.
    { name: "x", labels: { region: "eu" }, ids: ["all"], cost: 33 + 12 },
    { name: "x", labels: { env: "prod", region: "eu" }, ids: ["all", "prod", "prod-eu"], cost: 33 + 11 + 12 },
    { name: "x", labels: { zone: "1" }, ids: ["all", "zone", "not-eu"], cost: 33 + 11 },
    { name: "x", labels: { size: "m" }, ids: ["all", "sizes", "not-eu"], cost: 33 + 11 },
    { name: "x", labels: { size: "l", env: "dev" }, ids: ["all", "not-eu"], cost: 33 },
  ])("finds $ids for $name with $labels, and tries no others", ({ name, labels, ids, cost }) => {
    const subject = labels === undefined ? { name } : { name, labels };
    expect(index.matching(subject).map(({ id }) => id)).toEqual(ids);
    expect(index.costOf(subject)).toBe(cost);
  });

  it("weighs a rule by 1 where nothing else is given", () => {
    const single = indexSelectors(["a"], () => ({ names: ["a"] }));
    expect([single.costOf({ name: "a" }), single.costOf({ name: "b", labels: { x: "y" } })]).toEqual([2, 0]);
  });
});

it("counts the names, labels and expressions of a selector", () => {
  expect(countConditions({})).toBe(0);
  expect(countConditions({ names: ["a", "b"], matchLabels: { c: "d" }, matchExpressions: [zone, zone, zone] })).toBe(6);
});
