import { describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { findVerified, unverifiedProblems } from "../../../src/review/verify-source.ts";

/** A line of commits, from `c0` to the head; those that are vouched for may be applied. */
async function find({
  length,
  vouched,
  signed = vouched,
  base,
}: {
  readonly length: number;
  readonly vouched: readonly string[];
  readonly signed?: readonly string[];
  readonly base?: string;
}) {
  const evaluated: string[] = [];
  const numberOf = (id: string): number => Number(id.slice(1));
  const git = {
    isAncestor: (ancestor: string, of: string) => Promise.resolve(numberOf(ancestor) <= numberOf(of)),
    readCommit: (id: string) => Promise.resolve({ id, parents: id === "c0" ? [] : [`c${numberOf(id) - 1}`] }),
  } as unknown as Pick<GitEngine, "isAncestor" | "readCommit">;
  const found = await findVerified(git, { base, head: `c${length - 1}` }, ({ head }) => {
    evaluated.push(head);
    const unverified = vouched.includes(head) ? [] : ["a.yaml"];
    return Promise.resolve({ unverified, reason: "unsigned", signed: new Set(signed) });
  });
  return { ...found, evaluated };
}

describe("findVerified", () => {
  it("takes the head when listed keys vouch for it", async () => {
    expect(await find({ length: 3, vouched: ["c2"] })).toEqual({ commit: "c2", evaluated: ["c2"] });
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
