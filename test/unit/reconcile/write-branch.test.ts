import { describe, expect, it } from "vitest";
import type { Commit, CommitRequest, GitEngine, PathChange } from "../../../src/git/git.ts";
import type { BranchOwner } from "../../../src/reconcile/branch-owner.ts";
import { withOwner } from "../../../src/reconcile/branch-owner.ts";
import { writeBranch } from "../../../src/reconcile/write-branch.ts";
import { statusAuthor } from "../../../src/reconcile/status-branches.ts";

interface Given {
  readonly tip?: string;
  readonly isMerged?: boolean;
  /** E-mail address of the author of the one commit on the branch. */
  readonly author?: string;
  /** The owner that its message names. Default: none, as of an earlier version. */
  readonly owner?: BranchOwner;
  /** Paths on the branch; `+` before those that the branch adds. */
  readonly there?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly isUpdated?: boolean;
}

async function write({
  tip,
  isMerged = false,
  author,
  owner: maker,
  there = [],
  files = {},
  isUpdated = false,
}: Given) {
  const asked: unknown[] = [];
  const file = { path: "", blobId: "b", mode: "file" } as const;
  const by = { name: "n", email: author ?? statusAuthor.email };
  const message = maker === undefined ? "m" : withOwner("m", maker);
  const commit: Commit = { id: "tip", treeId: "t", parents: ["fork"], author: by, committedAtMs: 0, message };
  const git: Partial<GitEngine> = {
    fetchHead: () => Promise.resolve(tip),
    isAncestor: () => Promise.resolve(isMerged),
    deleteBranch: (_branch, head) => Promise.resolve(void asked.push(`delete ${head}`)),
    listCommits: () => Promise.resolve([commit]),
    changedPaths: () =>
      Promise.resolve(
        there.map((path): PathChange =>
          path.startsWith("+") ? { path: path.slice(1), after: file } : { path, before: file, after: file },
        ),
      ),
    commitAndPush: ({ parent, isNewBranch = false, changes, message: text }: CommitRequest) => {
      expect(text).toBe(withOwner("m", owner));
      asked.push({ parent, isNewBranch, changes: Object.fromEntries(changes) });
      return Promise.resolve("new");
    },
  };
  const head = await writeBranch(git as GitEngine, {
    branch: "b",
    files: new Map(Object.entries(files)),
    source: "main",
    message: "m",
    owner,
    isUpdated,
    nowMs: 0,
    signal: new AbortController().signal,
  });
  return { head, asked };
}

const commitOf = (parent: string, changes: object) => ({ parent, isNewBranch: parent === "main", changes });
const tip = "tip";
const owner = { hubId: "hub-1", repository: "rollcall.fleet" };
const others = [
  { ...owner, hubId: "hub-2" },
  { ...owner, repository: "rollcall.other" },
];
const files = { a: "1" };
const author = "person@example.com";

describe("writeBranch", () => {
  it.each<{ reason: string; given: Given; head: string | undefined; asked: unknown[] }>([
    { reason: "nothing is proposed", given: {}, head: undefined, asked: [] },
    { reason: "the first file is proposed", given: { files }, head: "new", asked: [commitOf("main", files)] },
    { reason: "it is merged", given: { tip, isMerged: true }, head: undefined, asked: ["delete tip"] },
    {
      reason: "it is merged and another file is proposed",
      given: { tip, isMerged: true, files },
      head: "new",
      asked: ["delete tip", commitOf("main", files)],
    },
    { reason: "it is not needed", given: { tip, there: ["+a"] }, head: undefined, asked: ["delete tip"] },
    {
      reason: "it is not needed and a person worked on it",
      given: { tip, author, there: ["+a"] },
      head: tip,
      asked: [],
    },
    {
      reason: "it is not needed, and names us",
      given: { tip, owner, there: ["+a"] },
      head: undefined,
      asked: ["delete tip"],
    },
    { reason: "it has the files", given: { tip, there: ["+a"], files }, head: tip, asked: [] },
    {
      reason: "its content changes and may be updated",
      given: { tip, there: ["+a"], files, isUpdated: true },
      head: "new",
      asked: [commitOf(tip, files)],
    },
    {
      reason: "its content changes and a person worked on it",
      given: { tip, author, there: ["+a"], files, isUpdated: true },
      head: tip,
      asked: [],
    },
    {
      reason: "a file that it added is not proposed any more",
      given: { tip, there: ["+old", "changed", "+a"], files },
      head: "new",
      asked: [commitOf(tip, { old: null })],
    },
    {
      reason: "a file is added and a person worked on it",
      given: { tip, author, there: ["+old"], files },
      head: "new",
      asked: [commitOf(tip, files)],
    },
  ])("leaves head $head when $reason", async ({ given, head, asked }) => {
    expect(await write(given)).toEqual({ head, asked });
  });

  it.each([
    { reason: "has other files", given: { files } },
    { reason: "is not needed here", given: {} },
  ])("changes and deletes nothing of a branch of another owner that $reason", async ({ given }) => {
    for (const other of others)
      await expect(write({ tip, owner: other, there: ["+b"], ...given })).rejects.toMatchObject({
        code: "E_GIT_PUSH_RACE",
      });
  });
});
