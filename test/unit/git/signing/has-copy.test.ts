import { describe, expect, it } from "vitest";
import type { Commit } from "../../../../src/git/git.ts";
import { hasCopy } from "../../../../src/git/signing/has-copy.ts";

const [base, tip] = ["base", "tip"];

/** Whether `tip` has a copy of the commit `one`, beside which it has `other`. */
async function compare(other: {
  readonly treeId?: string;
  readonly parents?: string[];
  readonly payload?: string | null;
}) {
  const { treeId = "tree", parents = [base], payload = "payload" } = other;
  const commits = [
    { id: "one", treeId: "tree", parents: [base] },
    { id: "other", treeId, parents },
  ] as unknown as Commit[];
  const ranges: unknown[] = [];
  const git = {
    readCommit: (id: string) => Promise.resolve(commits.find((commit) => commit.id === id) as Commit),
    readSignature: (id: string) => {
      const text = id === "one" ? "payload" : payload;
      return Promise.resolve(text === null ? undefined : { payload: Buffer.from(text), armoured: id });
    },
    listCommits: (range: object) => {
      ranges.push(range);
      return Promise.resolve(commits);
    },
  };
  const found = await hasCopy(git, "one", tip);
  expect(ranges).toEqual([{ from: base, to: tip, limit: Infinity, isBrief: true }]);
  return found;
}

describe("hasCopy", () => {
  it("A149 finds a commit that is the same but for its signature", async () => {
    expect(await compare({})).toBe(true);
  });

  it.each([
    { reason: "has another tree", other: { treeId: "other" } },
    { reason: "has other parents", other: { parents: [base, "more"] } },
    { reason: "has another message or author", other: { payload: "other" } },
    { reason: "is not signed", other: { payload: null } },
  ])("takes no commit for one that $reason", async ({ other }) => {
    expect(await compare(other)).toBe(false);
  });

  it("compares a commit without parents with all that the tip reaches, and one that is not signed with none", async () => {
    const ranges: unknown[] = [];
    const commits = ["one", "other"].map((id) => ({ id, treeId: "tree", parents: [] })) as unknown as Commit[];
    const signatures = new Map([["one", { payload: Buffer.from("payload"), armoured: "" }]]);
    const git = {
      readCommit: (id: string) => Promise.resolve(commits.find((commit) => commit.id === id) as Commit),
      readSignature: (id: string) => Promise.resolve(signatures.get(id)),
      listCommits: (range: object) => {
        ranges.push(range);
        return Promise.resolve(commits);
      },
    };
    expect([await hasCopy(git, "one", tip), await hasCopy(git, "other", tip)]).toEqual([false, false]);
    expect(ranges).toEqual([{ to: tip, limit: Infinity, isBrief: true }]);
  });
});
