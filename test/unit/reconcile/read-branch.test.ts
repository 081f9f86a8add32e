import { describe, expect, it } from "vitest";
import type { Commit, PathChange, TreeFile } from "../../../src/git/git.ts";
import { withOwner } from "../../../src/reconcile/branch-owner.ts";
import { isSettled, readBranch } from "../../../src/reconcile/read-branch.ts";
import { statusAuthor } from "../../../src/reconcile/status-branches.ts";

const owner = { hubId: "hub-1", repository: "rollcall.fleet" };
const place = { source: "main", owner, nowMs: 0, signal: new AbortController().signal };

function commit(id: string, email: string = statusAuthor.email): Commit {
  const author = { name: "n", email };
  return { id, treeId: "t", parents: [`before-${id}`], author, committedAtMs: 0, message: withOwner("m", owner) };
}

describe("readBranch", () => {
  it.each([
    { reason: "is not there", tip: undefined, commits: [], look: undefined },
    {
      reason: "has three commits",
      tip: "three",
      commits: [commit("three", "alice@example.org"), commit("two"), commit("one")],
      look: { tip: "three", fork: "before-one", makers: ["Person", "Owner", "Owner"] },
    },
    {
      reason: "is merged, and shows its newest commit",
      tip: "one",
      commits: [],
      look: { tip: "one", fork: undefined, makers: ["Owner"] },
    },
  ])("reads a branch that $reason", async ({ tip, commits, look }) => {
    const git = {
      fetchHead: () => Promise.resolve(tip),
      listCommits: () => Promise.resolve(commits),
      readCommit: (id: string) => Promise.resolve(commit(id)),
    };
    expect(await readBranch(git, "rollcall/join/fleet/edge", place)).toEqual(look);
  });
});

describe("isSettled", () => {
  const file = (path: string, blobId: string): TreeFile => ({ path, blobId, mode: "file" });
  const edit: PathChange = { path: "a", before: file("a", "1"), after: file("a", "2") };
  const otherEdit: PathChange = { path: "c", before: file("c", "1"), after: file("c", "2") };
  const added: PathChange = { path: "b", after: file("b", "1") };
  const removal: PathChange = { path: "a", before: file("a", "1") };
  it.each<{ reason: string; changes: PathChange[]; main: TreeFile[]; fork?: string; settled: boolean }>([
    { reason: "adds a file", changes: [added], main: [], settled: true },
    { reason: "changes a file", changes: [edit], main: [file("a", "1")], settled: false },
    { reason: "changed a file, as it is now", changes: [edit], main: [file("a", "2")], settled: true },
    { reason: "changes one file and adds another", changes: [edit, added], main: [file("a", "1")], settled: false },
    {
      reason: "changes two files, of which one is as it is now",
      changes: [edit, otherEdit],
      main: [file("a", "2"), file("c", "1")],
      settled: false,
    },
    { reason: "removes a file", changes: [removal], main: [file("a", "1")], settled: false },
    { reason: "removed a file", changes: [removal], main: [], settled: true },
  ])("is $settled of a branch that $reason", async ({ changes, main, settled }) => {
    const git = { changedPaths: () => Promise.resolve(changes), listFiles: () => Promise.resolve(main) };
    expect(await isSettled(git, "main", { fork: "fork", tip: "tip" })).toBe(settled);
    expect(await isSettled(git, "main", { fork: undefined, tip: "tip" })).toBe(true);
  });
});
