import { describe, expect, it } from "vitest";
import { changesSince, findMergeBase } from "../../../src/review/merge-base.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

type Files = Readonly<Record<string, string>>;

/** What a branch changes that crosses the main branch: each side has merged the other's commit, and not its merge. */
async function crossed(files: {
  readonly start: Files;
  readonly main: Files;
  readonly branch: Files;
  readonly mainMerged: Files;
  readonly branchMerged: Files;
}) {
  const git = createMemoryGit();
  const start = git.commit(files.start, "start");
  const branch = git.commit(files.branch, "branch", { parents: [start], isBeside: true });
  const main = git.commit(files.main, "main", { parents: [start] });
  const merged = git.commit(files.mainMerged, "main merges the branch", { parents: [main, branch] });
  const heads = [
    [branch, main],
    [main, branch],
  ].map((parents) => git.commit(files.branchMerged, "the branch merges main", { parents, isBeside: true }));
  const results: (readonly [string[], string[]])[] = [];
  for (const head of heads) {
    const base = await findMergeBase({ git, main: { commit: await git.readCommit(merged) }, head });
    const pathsOf = async (to: string): Promise<string[]> =>
      (await changesSince(base, to, git)).map(({ path }) => path).sort();
    results.push([await pathsOf(head), await pathsOf(merged)]);
  }
  // The order of the parents is the author's to choose.
  expect(results[1]).toEqual(results[0]);
  return { ofBranch: results[0]?.[0], ofMain: results[0]?.[1] };
}

const start = { a: "1", p: "1" };

// As git merges them: "ort" merges the bases first.
describe("findMergeBase of histories that cross", () => {
  it("has what the branch took back of main's changes, and of what main deleted", async () => {
    const { ofBranch, ofMain } = await crossed({
      start: { ...start, gone: "1" },
      main: { ...start, p: "2", c: "1" },
      branch: { ...start, gone: "1", f: "1" },
      mainMerged: { ...start, p: "2", c: "1", f: "1" },
      branchMerged: { ...start, p: "1", gone: "1", f: "1" },
    });
    expect(ofBranch).toEqual(["c", "gone", "p"]);
    expect(ofMain).toEqual([]);
  });

  it("has nothing of a branch that only took main's changes over, whatever main changed since", async () => {
    const { ofBranch, ofMain } = await crossed({
      start,
      main: { ...start, p: "2" },
      branch: { ...start, f: "1" },
      mainMerged: { ...start, p: "3", f: "1" },
      branchMerged: { ...start, p: "2", f: "1" },
    });
    expect(ofBranch).toEqual([]);
    expect(ofMain).toEqual(["p"]);
  });

  it("has on both sides what the bases are in conflict about", async () => {
    const { ofBranch, ofMain } = await crossed({
      start,
      main: { ...start, p: "2" },
      branch: { ...start, p: "3" },
      mainMerged: { ...start, p: "2" },
      branchMerged: { ...start, p: "3" },
    });
    expect([ofBranch, ofMain]).toEqual([["p"], ["p"]]);
  });

  it("takes nothing for unchanged in which more than two bases differ, and ends at nine", async () => {
    const find = async (count: number) => {
      const git = createMemoryGit();
      const root = git.commit({ p: "1" }, "start");
      const sides = Array.from({ length: count }, (_, index) =>
        git.commit({ p: "1", [`f${index}`]: "1" }, "side", { parents: [root], isBeside: true }),
      );
      const all = Object.fromEntries(sides.map((_, index) => [`f${index}`, "1"]));
      const main = git.commit({ p: "1", ...all }, "main", { parents: sides });
      const head = git.commit({ p: "1" }, "branch", { parents: [...sides].reverse(), isBeside: true });
      const base = await findMergeBase({ git, main: { commit: await git.readCommit(main) }, head });
      return (await changesSince(base, head, git)).map(({ path }) => path).sort();
    };
    expect(await find(3)).toEqual(["f0", "f1", "f2"]);
    await expect(find(9)).rejects.toMatchObject({ code: "E_BRANCH_LIMIT" });
  });
});
