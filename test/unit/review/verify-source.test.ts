import { describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { findVerified, unverifiedProblems } from "../../../src/review/verify-source.ts";

/** A line of commits, from `c0` to the head; those that are vouched for may be applied. */
async function find({
  length,
  vouched,
  signed = vouched,
  base,
  unverified = ["a.yaml"],
}: {
  readonly length: number;
  readonly vouched: readonly string[];
  readonly signed?: readonly string[];
  readonly base?: string;
  readonly unverified?: readonly string[];
}) {
  const evaluated: string[] = [];
  const bases = new Set<string | undefined>();
  const numberOf = (id: string): number => Number(id.slice(1));
  const git = {
    isAncestor: (ancestor: string, of: string) => Promise.resolve(numberOf(ancestor) <= numberOf(of)),
    readCommit: (id: string) => Promise.resolve({ id, parents: id === "c0" ? [] : [`c${numberOf(id) - 1}`] }),
  } as unknown as Pick<GitEngine, "isAncestor" | "readCommit">;
  const found = await findVerified(git, { base, head: `c${length - 1}` }, (range) => {
    evaluated.push(range.head);
    bases.add(range.base);
    const refused = vouched.includes(range.head) ? [] : unverified;
    return Promise.resolve({ unverified: refused, reason: "unsigned", signed: new Set(signed) });
  });
  return { ...found, evaluated, bases: [...bases] };
}

describe("findVerified", () => {
  it("takes the head when listed keys vouch for it", async () => {
    expect(await find({ length: 3, vouched: ["c2"] })).toEqual({ commit: "c2", evaluated: ["c2"], bases: [undefined] });
  });

  it("takes the newest commit that may be applied, and reports why it is not the head", async () => {
    const { commit, refusal, evaluated, bases } = await find({ length: 6, vouched: ["c2", "c3"], base: "c1" });
    expect([commit, evaluated, bases]).toEqual(["c3", ["c5", "c4", "c3"], ["c1"]]);
    expect(refusal).toMatchObject({ message: "apply commit c5: no listed key vouches for a.yaml (unsigned)" });
    expect(refusal?.data).toEqual({ commit: "c5", unverified: 1 });
  });

  it.each<[string, readonly string[], string]>([
    ["two files", ["a.yaml", "b.yaml"], "a.yaml and 1 more file (unsigned)"],
    ["three files", ["a.yaml", "b.yaml", "c.yaml"], "a.yaml and 2 more files (unsigned)"],
  ])("names one of %s and counts the others", async (_what, unverified, text) => {
    const { refusal, problems } = await find({ length: 2, vouched: [], base: "c0", unverified });
    expect(refusal?.message).toBe(`apply commit c1: no listed key vouches for ${text}`);
    expect(problems?.map(({ file }) => file)).toEqual(unverified);
  });

  it("applies nothing where no commit may be, and what was applied is of another history", async () => {
    const { commit, evaluated, bases } = await find({ length: 3, vouched: [], base: "c9" });
    expect([commit, evaluated, bases]).toEqual([undefined, ["c2", "c1", "c0"], [undefined]]);
  });

  it("evaluates nothing where the head is the applied commit", async () => {
    expect(await find({ length: 3, vouched: [], base: "c2" })).toEqual({ commit: "c2", evaluated: [], bases: [] });
  });

  it("evaluates the newest 50 commits, and of the others those that are signed or merge a signed one", async () => {
    const { commit, evaluated } = await find({ length: 100, vouched: [], signed: ["c30", "c40"], base: "c1" });
    const newest = Array.from({ length: 50 }, (_, index) => `c${99 - index}`);
    expect([commit, evaluated]).toEqual(["c1", [...newest, "c41", "c40", "c31", "c30"]]);
  });

  it("stays at what was applied when no later commit may be", async () => {
    const found = await find({ length: 5, vouched: [], base: "c1" });
    expect(found.commit).toBe("c1");
    expect(found.refusal?.code).toBe("E_UNVERIFIED");
    expect(found.problems).toEqual(unverifiedProblems({ unverified: ["a.yaml"], reason: "unsigned" }));
  });

  it("A77 finds a signed commit below thousands of unsigned ones, and evaluates few of these", async () => {
    const { commit, evaluated } = await find({ length: 5000, vouched: ["c20"], base: "c1" });
    expect(commit).toBe("c20");
    expect(evaluated).toHaveLength(52);
  });

  it("A77 ends its search when many signed commits may not be applied", async () => {
    const signed = Array.from({ length: 5000 }, (_, number) => `c${number}`);
    const { commit, evaluated } = await find({ length: 5000, vouched: ["c20"], signed, base: "c1" });
    expect(commit).toBe("c1");
    expect(evaluated).toHaveLength(100);
  });
});
