import { describe, expect, it } from "vitest";
import type { PlanCommitInputs } from "../../../src/review/plan-commit.ts";
import { historyOf, readRange } from "../../../src/review/plan-commit.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

/** Two commits on the branch, and one of another history. */
function open() {
  const git = createMemoryGit();
  const first = git.commit({ a: "1", b: "1" }, "First\n");
  const head = git.commit({ a: "1", b: "2" }, "Head\n");
  const beside = git.commit({ a: "1", b: "2" }, "Beside\n", { parents: [first], isBeside: true });
  const other = git.commit({ a: "2", b: "2" }, "Other\n", { parents: [], isBeside: true });
  return { git, first, head, beside, other };
}

describe("readRange", () => {
  const rangeOf = async (settled: (commits: ReturnType<typeof open>) => string | undefined) => {
    const commits = open();
    const base = settled(commits);
    const { changes, ...range } = await readRange(commits.git, base ? { settledCommit: base } : {}, commits.head);
    return { ...range, hasBase: range.base !== undefined, changes: changes.map(({ path }) => path) };
  };

  it.each([
    [
      "nothing was settled",
      () => undefined,
      { hasBase: false, changes: ["a", "b"], isForeign: false, changedPaths: [] },
    ],
    [
      "a commit before was settled",
      ({ first }: ReturnType<typeof open>) => first,
      { hasBase: true, changes: ["b"], isForeign: false, changedPaths: ["b"] },
    ],
    [
      "the head was settled",
      ({ head }: ReturnType<typeof open>) => head,
      { hasBase: true, changes: [], isForeign: false, changedPaths: [] },
    ],
    [
      "a commit of another history was settled",
      ({ other }: ReturnType<typeof open>) => other,
      { hasBase: false, changes: ["a", "b"], isForeign: true, changedPaths: ["a"] },
    ],
    [
      "a commit was settled that is not known here",
      () => "0".repeat(40),
      { hasBase: false, changes: ["a", "b"], isForeign: true, changedPaths: [] },
    ],
  ])("has what the commits changed where %s", async (_reason, settled, expected) => {
    expect(await rangeOf(settled)).toMatchObject(expected);
  });

  it("fails where a known history cannot be compared", async () => {
    const { git, head, other } = open();
    const broken = new Error("the disk is away");
    const changedPaths: typeof git.changedPaths = (from, to) =>
      from === other ? Promise.reject(broken) : git.changedPaths(from, to);
    await expect(readRange({ ...git, changedPaths }, { settledCommit: other }, head)).rejects.toBe(broken);
  });
});

describe("historyOf", () => {
  it("has the planned commit, those before it, and those of the branch that it is merged into", async () => {
    const { git, first, head, beside, other } = open();
    const knows = async (mergedInto?: string): Promise<readonly boolean[]> => {
      const place = { git, snapshot: { commit: { id: beside } }, ...(mergedInto === undefined ? {} : { mergedInto }) };
      const isInHistory = historyOf(place as unknown as PlanCommitInputs);
      return Promise.all([beside, first, head, other].map(isInHistory));
    };
    expect(await knows()).toEqual([true, true, false, false]);
    expect(await knows(head)).toEqual([true, true, true, false]);
  });
});
