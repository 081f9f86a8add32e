import { describe, expect, it } from "vitest";
import type { ClusterSelector } from "../../../src/model/selector.ts";
import type { Moves, SelectingPair, Subject } from "../../../src/planning/selector-moves.ts";
import { collectMoves, countMembers } from "../../../src/planning/selector-moves.ts";
import { countedSelector } from "../../support/counted-selector.ts";

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function subject(name: string, labels: Record<string, string>, labelsForRules = labels): Subject {
  return { workspace: "prod", name, labels, labelsForRules };
}

function pair(kind: string, was: ClusterSelector | undefined, is = was): SelectingPair {
  const side = (selector: ClusterSelector | undefined) => selector && { kind, namespace: "prod", name: "x", selector };
  return { was: side(was), is: side(is) };
}

const env = (value: string): ClusterSelector => ({ matchLabels: { env: value } });

describe("collectMoves", () => {
  it("names what groups and rules gain and lose", () => {
    const before = new Map([
      ["a", subject("a", { env: "dev" })],
      ["b", subject("b", { env: "prod" }, {})],
    ]);
    const after = new Map([
      ["a", subject("a", { env: "prod" })],
      ["c", subject("c", { env: "dev" })],
    ]);
    const [group, rule] = [pair("ClusterGroup", env("prod")), pair("ClusterLabels", env("prod"))];
    const [changed, removed] = [pair("ClusterGroup", env("dev"), env("prod")), pair("ClusterGroup", env("dev"))];
    const selectings = [group, rule, changed, { ...removed, is: undefined }];
    const moves = new Map<SelectingPair, Moves>();
    collectMoves(moves, { selectings, keys: ["a", "b", "c"], before, after });
    expect(selectings.map((each) => moves.get(each))).toEqual([
      { gains: ["a"], loses: ["b"] },
      // A rule does not see the label of b, which a rule gives.
      { gains: ["a"], loses: [] },
      undefined,
      { gains: [], loses: ["a"] },
    ]);
    expect([...countMembers(selectings, before)].map(([each, count]) => [selectings.indexOf(each), count])).toEqual([
      [2, 1],
      [3, 1],
      [0, 1],
    ]);
  });

  it("A66 compares a cluster with the groups that may select it, not with all", () => {
    let reads = 0;
    const selectings = times(500).map((index) =>
      pair(
        "ClusterGroup",
        countedSelector({ matchLabels: { tier: "gold", team: `t${index}` } }, () => (reads += 1)),
      ),
    );
    const before = new Map(
      times(500).map((index) => [`c${index}`, subject(`c${index}`, { tier: "gold", team: `t${index}` })] as const),
    );
    const moves = new Map<SelectingPair, Moves>();
    collectMoves(moves, { selectings, keys: [...before.keys()], before, after: new Map() });
    expect(moves.size).toBe(500);
    expect(countMembers(selectings, before).size).toBe(500);
    // Before: 250,000 comparisons for each side.
    expect(reads).toBeLessThan(20 * 500);
  });
});
