import { describe, expect, it } from "vitest";
import { verifyRange } from "../../../../src/git/signing/verify-range.ts";
import type { Commit, CommitRange } from "../../../../src/git/git.ts";
import type { SignatureRule } from "../../../../src/git/signing/verify-paths.ts";
import { createMemoryGit } from "../../reconcile/removals/memory-git.ts";
import { ed25519Signer, signersOf } from "../../signatures/signature-builders.ts";

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

const otherSigner = ed25519Signer();
const signersOfBoth = [...signers, ...signersOf(otherSigner.line.replace("alice", "bob"))];

/** A repository with a base, and what its commits up to the head leave unverified. */
function world(rules: readonly SignatureRule[] = [{ paths: ["f", "g", "gone", "made"] }]) {
  const git = createMemoryGit();
  const signed = new Map<string, ReturnType<typeof signer.sign>>();
  const trees = new Map<string, string>();
  const withTree = (commit: Commit): Commit => ({ ...commit, treeId: trees.get(commit.id) ?? commit.treeId });
  const reader = {
    ...git,
    readCommit: async (id: string) => withTree(await git.readCommit(id)),
    listCommits: async (range: CommitRange) => (await git.listCommits(range)).map(withTree),
    readSignature: (id: string) => Promise.resolve(signed.get(id)),
  };
  return {
    git,
    commit: (...args: Parameters<typeof git.commit>): string => git.commit(...args),
    sign: (...args: Parameters<typeof git.commit>): string => {
      const id = git.commit(...args);
      signed.set(id, signer.sign());
      return id;
    },
    signByOther: (...args: Parameters<typeof git.commit>): string => {
      const id = git.commit(...args);
      signed.set(id, otherSigner.sign());
      return id;
    },
    /** The same commit, whose signature is written in another form. */
    copy: (id: string, files: Readonly<Record<string, string>>, parents: readonly string[]): string => {
      const made = git.commit(files, "copy", { parents, isBeside: true });
      trees.set(made, id);
      signed.set(made, signer.sign());
      return made;
    },
    unverified: async (base: string | undefined, head: string, maximumCommits?: number) => {
      const place = base === undefined ? { head } : { base, head };
      const limit = maximumCommits === undefined ? {} : { maximumCommits };
      const request = { ...place, ...limit, policy: { rules }, signers: signersOfBoth, atMs: 0 };
      return (await verifyRange(reader, request)).unverified;
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

describe("A31 a signed branch from before the base, merged without a signature", () => {
  it("has its own changes applied, and brings back no old form of other files", async () => {
    const { commit, sign, unverified } = world();
    const fork = commit({ f: "0", g: "0", gone: "0" }, "fork");
    const side = sign({ f: "1", g: "0", gone: "0" }, "side", { parents: [fork], isBeside: true });
    const base = commit({ f: "0", g: "1", gone: "1" }, "base");
    const head = commit({ f: "1", g: "0", gone: "0" }, "merge", { parents: [base, side] });
    expect(await unverified(base, head)).toEqual(["g", "gone"]);
  });

  it("does not question what the base has made of other files since", async () => {
    const { commit, sign, unverified } = world();
    const fork = commit({ f: "0", g: "0" }, "fork");
    const side = sign({ f: "1", g: "0" }, "side", { parents: [fork], isBeside: true });
    const base = commit({ f: "0", g: "1" }, "base");
    const head = commit({ f: "1", g: "1" }, "merge", { parents: [base, side] });
    expect(await unverified(base, head)).toEqual([]);
  });

  it("has applied what it began with, when it has no parent", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ g: "1", gone: "1" }, "base");
    const side = sign({ f: "1" }, "side", { parents: [], isBeside: true });
    const head = commit({ f: "1", g: "2" }, "merge", { parents: [base, side] });
    expect(await unverified(base, head)).toEqual(["g", "gone"]);
  });

  it("takes for its own only what a merge on it has from none of its parents", async () => {
    const { commit, sign, unverified } = world();
    const fork = commit({ f: "0", g: "0" }, "fork");
    const one = commit({ f: "1", g: "0" }, "one", { parents: [fork], isBeside: true });
    const other = commit({ f: "0", g: "0", made: "1" }, "other", { parents: [fork], isBeside: true });
    const side = sign({ f: "1", g: "1", made: "1" }, "side", { parents: [one, other], isBeside: true });
    const base = commit({ f: "0", g: "0", notes: "" }, "base", { parents: [fork] });
    const head = commit({ f: "1", g: "1", made: "1" }, "merge", { parents: [base, side] });
    expect(await unverified(base, head)).toEqual(["f", "made"]);
  });
});

describe("A149 a signed commit with a copy", () => {
  const files = { f: "1" };

  it.each(["in the range", "before the base"])("speaks for nothing when its copy is %s", async (place) => {
    const { commit, sign, copy, unverified } = world();
    const fork = commit({ f: "0" }, "fork");
    const one = sign(files, "one");
    const replaced = commit({ f: "2" }, "replaced");
    const twin = copy(one, files, [fork]);
    const head = commit(files, "merge", { parents: [replaced, twin] });
    expect(await unverified(place === "in the range" ? fork : replaced, head)).toEqual(["f"]);
  });
});

it("A149 a copy speaks for nothing where the base, which the head has left, has the commit", async () => {
  const { commit, sign, copy, unverified } = world();
  const fork = commit({ f: "0" }, "fork");
  const one = sign({ f: "1" }, "one");
  const base = commit({ f: "2" }, "base");
  const twin = copy(one, { f: "1" }, [fork]);
  const head = commit({ f: "1", notes: "" }, "head", { parents: [twin] });
  expect(await unverified(base, head)).toEqual(["f"]);
});

it("A31 a signer vouches for the whole tree where there is no base", async () => {
  const { commit, sign, unverified } = world();
  commit({ f: "1" }, "unsigned");
  const head = sign({ f: "1", notes: "" }, "signed");
  expect(await unverified(undefined, head)).toEqual([]);
});

describe("A31 a signer whom the rules do not take for a file", () => {
  const rules = [{ paths: ["f"], principals: ["alice@example.org"] }, { paths: ["g"] }];

  it("vouches for none of its changes, and for those of other files", async () => {
    const { commit, signByOther, unverified } = world(rules);
    const base = commit({ f: "0", g: "0" }, "base");
    expect(await unverified(base, signByOther({ f: "1", g: "1" }, "by another"))).toEqual(["f"]);
  });

  it("replaces no form that the right one signed for", async () => {
    const { commit, sign, signByOther, unverified } = world(rules);
    const base = commit({ f: "0" }, "base");
    sign({ f: "1" }, "signed");
    signByOther({ f: "2" }, "by another");
    expect(await unverified(base, commit({ f: "1" }, "head"))).toEqual([]);
  });

  it("does not confirm that a signed change was taken back", async () => {
    const { commit, sign, signByOther, unverified } = world(rules);
    const base = commit({ f: "0" }, "base");
    sign({ f: "1" }, "signed");
    signByOther({ f: "0" }, "by another");
    expect(await unverified(base, commit({ f: "0", notes: "" }, "head"))).toEqual(["f"]);
  });

  it("has not seen what is below for the right one", async () => {
    const { commit, sign, signByOther, unverified } = world(rules);
    const base = commit({ f: "0", g: "0" }, "base");
    sign({ f: "1", g: "0" }, "signed");
    commit({ f: "0", g: "0" }, "back");
    expect(await unverified(base, signByOther({ f: "0", g: "0", notes: "" }, "by another"))).toEqual(["f"]);
  });
});

describe("A31 a signed change that was taken back", () => {
  it.each([0, 1])("is not confirmed by a signed commit of a branch that never had it (%i)", async (first) => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0" }, "base");
    const signed = sign({ f: "1" }, "signed");
    const beside = sign({ f: "0", notes: "" }, "beside", { parents: [base], isBeside: true });
    const parents = first === 0 ? [signed, beside] : [beside, signed];
    expect(await unverified(base, commit({ f: "0" }, "merge", { parents }))).toEqual(["f"]);
  });

  it("is named with the other files in their order", async () => {
    const { commit, sign, unverified } = world();
    const base = commit({ f: "0", g: "0" }, "base");
    sign({ f: "1", g: "0" }, "signed");
    expect(await unverified(base, commit({ f: "0", g: "1" }, "head"))).toEqual(["f", "g"]);
  });
});

describe("a range of many commits", () => {
  it("without a base is read as far as a file is open", async () => {
    const { git, commit, sign } = world();
    commit({ f: "0" }, "first");
    sign({ f: "1" }, "signed");
    const head = commit({ f: "1", notes: "" }, "notes");
    const reader = {
      ...git,
      readSignature: (id: string) => Promise.resolve(id === head ? undefined : signer.sign()),
    };
    const { commits, unverified } = await verifyRange(reader, {
      head,
      policy: { rules: [{ paths: ["f"] }] },
      signers,
      atMs: 0,
    });
    expect([commits.map(({ id }) => id), unverified]).toEqual([[head, git.ids[1]], []]);
  });

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
