import { describe, expect, it } from "vitest";
import type { Commit, GitEngine } from "../../../src/git/git.ts";
import { markedName, withOwner } from "../../../src/reconcile/branch-owner.ts";
import { OtherBranches } from "../../../src/reconcile/other-branches.ts";
import { statusAuthor } from "../../../src/reconcile/status-branches.ts";

const owner = { hubId: "hub-1", repository: "rollcall.fleet" };
const place = { source: "main", owner, nowMs: 0, signal: new AbortController().signal };
const plain = "rollcall/join/fleet/edge";
const marked = markedName(plain, owner);

/** Branches by name; each head is the id of the hub that made it. It counts what is fetched. */
function open() {
  const fetched: string[] = [];
  const commitOf = (hubId: string): Commit => ({
    id: hubId,
    treeId: "t",
    parents: ["main"],
    author: statusAuthor,
    committedAtMs: 0,
    message: withOwner("m", { ...owner, hubId }),
  });
  let remote: ReadonlyMap<string, string> = new Map();
  const git: Partial<GitEngine> = {
    fetchHead: (branch) => {
      fetched.push(branch);
      return Promise.resolve(remote.get(branch));
    },
    listCommits: ({ to }) => Promise.resolve([commitOf(to)]),
  };
  const others = new OtherBranches(git as GitEngine);
  return {
    others,
    fetched,
    branchFor: (branches: Readonly<Record<string, string>>) => {
      remote = new Map(Object.entries(branches));
      others.prune(remote);
      return others.branchFor(plain, remote, place);
    },
  };
}

describe("OtherBranches", () => {
  it.each([
    { reason: "there is none", branches: {}, branch: plain },
    { reason: "this hub made it", branches: { [plain]: "hub-1" }, branch: plain },
    { reason: "another hub made it", branches: { [plain]: "hub-2" }, branch: marked },
    { reason: "this hub has a marked one", branches: { [marked]: "hub-1" }, branch: marked },
  ])("answers $branch when $reason", async ({ branches, branch }) => {
    expect(await open().branchFor(branches)).toBe(branch);
  });

  it("reads each head of a branch of another hub once, and forgets it when it is deleted", async () => {
    const { others, fetched, branchFor } = open();
    for (let times = 0; times < 3; times++) await branchFor({ [plain]: "hub-2" });
    expect([fetched, others.has(plain)]).toEqual([[plain], true]);
    expect(await branchFor({ [plain]: "hub-3" })).toBe(marked);
    expect(fetched.length).toBe(2);
    expect(await branchFor({})).toBe(plain);
    expect(others.has(plain)).toBe(false);
  });
});
