import { describe, expect, it } from "vitest";
import { verifyRange } from "../../../src/git/signing/verify-range.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";
import { ed25519Signer, signersOf } from "../signatures/signature-builders.ts";

it("A59 reads each commit of a range of 600, not the newest 500", async () => {
  const commits = Array.from({ length: 600 }, (_, index) => ({
    id: `c${index}`,
    treeId: "t",
    parents: [],
    author: { name: "a", email: "a@example.com" },
    committedAtMs: 0,
    message: "",
  }));
  const reader = {
    readCommit: () => Promise.reject(new Error("no commit is signed")),
    readSignature: () => Promise.resolve(undefined),
    listCommits: ({ limit = 1000 }) => Promise.resolve(commits.slice(0, limit)),
    changedPaths: () => Promise.resolve([{ path: "a.yaml" }]),
    isAncestor: () => Promise.resolve(true),
  };
  const request = { base: "b", head: "c0", policy: { rules: [{}] }, signers: [], atMs: 0 };
  const { commits: seen, unverified } = await verifyRange(reader, request);
  expect(seen).toHaveLength(600);
  expect(unverified).toEqual(["a.yaml"]);
});

const signer = ed25519Signer();
const signers = signersOf(signer.line);

/** A repository with a base, and what its commits up to the head leave unverified. */
function world() {
  const git = createMemoryGit();
  const signed = new Set<string>();
  const reader = {
    ...git,
    readSignature: (id: string) => Promise.resolve(signed.has(id) ? signer.sign() : undefined),
  };
  return {
    git,
    commit: (...args: Parameters<typeof git.commit>): string => git.commit(...args),
    sign: (...args: Parameters<typeof git.commit>): string => {
      const id = git.commit(...args);
      signed.add(id);
      return id;
    },
    unverified: async (base: string | undefined, head: string, maximumCommits?: number) => {
      const place = base === undefined ? { head } : { base, head };
      const limit = maximumCommits === undefined ? {} : { maximumCommits };
      const request = { ...place, ...limit, policy: { rules: [{ paths: ["f", "g", "gone", "made"] }] } };
      return (await verifyRange(reader, { ...request, signers, atMs: 0 })).unverified;
    },
  };
}

describe("A31 an unsigned commit on top of signed ones", () => {
  it("does not bring back an older signed form of a file", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0" }, "base");
    sign({ f: "1" }, "first");
    sign({ f: "2" }, "second");
    const head = commit({ f: "1" }, "back");
    expect(await unverified(base, head)).toEqual(["f"]);
    expect(await unverified(undefined, head)).toEqual(["f"]);
  });

  it("does not bring it back by a merge, whatever dates the commits have", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0" }, "base");
    const first = sign({ f: "1" }, "first");
    const second = sign({ f: "2" }, "second");
    const head = commit({ f: "1" }, "merge", { parents: [first, second] });
    expect(await unverified(base, head)).toEqual(["f"]);
  });

  it("does not take back the change, removal or creation of a file", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0", gone: "0" }, "base");
    sign({ f: "1", made: "1" }, "signed");
    const head = commit({ f: "0", gone: "0" }, "back");
    expect(await unverified(base, head)).toEqual(["f", "gone", "made"]);
  });

  it("may change nothing of a file that signers changed back themselves", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0" }, "base");
    sign({ f: "1" }, "first");
    sign({ f: "2" }, "second");
    const again = sign({ f: "1" }, "first again");
    expect(await unverified(base, again)).toEqual([]);
    sign({ f: "0" }, "as it was");
    expect(await unverified(base, commit({ f: "0", g: "" }, "other"))).toEqual(["g"]);
  });

  it("may merge signed branches that leave each other's files alone", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0", g: "0" }, "base");
    const one = sign({ f: "1", g: "0" }, "one");
    const other = sign({ f: "0", g: "1" }, "other", { parents: [base] });
    const head = commit({ f: "1", g: "1" }, "merge", { parents: [one, other] });
    expect(await unverified(base, head)).toEqual([]);
  });
});

describe("a range of many commits", () => {
  it("A141 does not take back a signed change below two thousand others", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0" }, "base");
    sign({ f: "1" }, "signed");
    for (let count = 0; count < 2000; count++) commit({ f: "1", notes: String(count) }, "notes");
    const head = commit({ f: "0" }, "back");
    expect(await unverified(base, head)).toEqual(["f"]);
    expect(await unverified(base, sign({ f: "0" }, "seen"))).toEqual([]);
  });

  it("A141 has no protected file applied above more commits than are read, until a signer has seen it", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0", g: "0" }, "base");
    sign({ f: "1", g: "0" }, "signed");
    commit({ f: "0", g: "0" }, "back");
    const head = commit({ f: "0", g: "0", notes: "" }, "notes");
    expect(await unverified(base, head, 3)).toEqual(["f"]);
    expect(await unverified(base, head, 2)).toEqual(["f", "g"]);
    expect(await unverified(base, sign({ f: "0", g: "0" }, "seen"), 2)).toEqual([]);
  });

  it("A141 reads no commit below one whose signer saw the whole tree", async () => {
    const { git, commit, sign } = world();
    const base = commit({ f: "0" }, "base");
    for (let count = 1; count <= 50; count++) sign({ f: String(count) }, "signed");
    const head = commit({ f: "50", notes: "" }, "notes");
    const isRead = new Set<string>();
    const reader = {
      ...git,
      readSignature: (id: string) => {
        isRead.add(id);
        return Promise.resolve(id === head ? undefined : signer.sign());
      },
    };
    await verifyRange(reader, { base, head, policy: { rules: [{ paths: ["f"] }] }, signers, atMs: 0 });
    expect([...isRead]).toEqual([head, git.ids.at(-2)]);
  });
});
