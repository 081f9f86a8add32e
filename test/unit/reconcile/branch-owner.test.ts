import { describe, expect, it } from "vitest";
import type { CommitMaker } from "../../../src/reconcile/branch-owner.ts";
import { isOfOther, isOursAlone, makerOf, markedName, withOwner } from "../../../src/reconcile/branch-owner.ts";
import { statusAuthor } from "../../../src/reconcile/status-branches.ts";

const owner = { hubId: "hub-1", repository: "rollcall.fleet" };
const otherHub = { ...owner, hubId: "hub-2" };
const otherRepository = { ...owner, repository: "rollcall.other" };

describe("withOwner", () => {
  const both = "Rollcall-Hub: hub-1\nRollcall-Repository: rollcall.fleet\n";
  it.each([
    { reason: "a subject", message: "hub: change a", text: `hub: change a\n\n${both}` },
    { reason: "a subject and a text", message: "join: a\n\nIt asked.\n", text: `join: a\n\nIt asked.\n\n${both}` },
    {
      reason: "trailers",
      message: "hub: a\n\nRollcall-Hub-Object: Cluster/a\n",
      text: `hub: a\n\nRollcall-Hub-Object: Cluster/a\n${both}`,
    },
    {
      reason: "one of the two",
      message: "hub: a\n\nRollcall-Hub: hub-1\nRollcall-Hub-Manager: kubectl\n",
      text: "hub: a\n\nRollcall-Hub: hub-1\nRollcall-Hub-Manager: kubectl\nRollcall-Repository: rollcall.fleet\n",
    },
    {
      reason: "a last paragraph that only begins as trailers do",
      message: "a\n\nFixes: b\nand more.\n",
      text: `a\n\nFixes: b\nand more.\n\n${both}`,
    },
    {
      reason: "a last paragraph that quotes a trailer",
      message: "a\n\nit says Fixes: b\n",
      text: `a\n\nit says Fixes: b\n\n${both}`,
    },
    { reason: "both", message: `a\n\n${both}`, text: `a\n\n${both}` },
  ])("adds what is missing to a message with $reason", ({ message, text }) => {
    expect(withOwner(message, owner)).toBe(text);
  });
});

describe("makerOf", () => {
  it.each<{ reason: string; message: string; email?: string; maker: CommitMaker }>([
    { reason: "this hub and Repository", message: withOwner("a", owner), maker: "Owner" },
    { reason: "this hub, of an earlier version", message: "a\n\nRollcall-Hub: hub-1\n", maker: "Owner" },
    { reason: "another hub", message: withOwner("a", otherHub), maker: "OtherOwner" },
    { reason: "another hub, of an earlier version", message: "a\n\nRollcall-Hub: hub-2\n", maker: "OtherOwner" },
    { reason: "another Repository of this hub", message: withOwner("a", otherRepository), maker: "OtherOwner" },
    { reason: "this hub and another one", message: withOwner(withOwner("a", otherHub), owner), maker: "OtherOwner" },
    { reason: "no owner", message: "a", maker: "Unmarked" },
    {
      reason: "a user of the hub",
      message: withOwner("a", owner),
      email: "alice@users.noreply.rollcall.dev",
      maker: "Owner",
    },
    { reason: "a person", message: withOwner("a", owner), email: "alice@example.org", maker: "Person" },
  ])("reads from a commit of $reason: $maker", ({ message, email = statusAuthor.email, maker }) => {
    expect(makerOf({ message, author: { name: "n", email } }, owner)).toBe(maker);
  });
});

describe("the makers of a branch", () => {
  it.each<{ makers: readonly CommitMaker[]; isOther: boolean; isAlone: boolean }>([
    { makers: [], isOther: false, isAlone: true },
    { makers: ["Owner", "Unmarked"], isOther: false, isAlone: true },
    { makers: ["Owner", "Person"], isOther: false, isAlone: false },
    { makers: ["OtherOwner"], isOther: true, isAlone: false },
    { makers: ["OtherOwner", "Person"], isOther: true, isAlone: false },
    { makers: ["Owner", "OtherOwner"], isOther: false, isAlone: false },
  ])("$makers: of another owner $isOther, ours alone $isAlone", ({ makers, isOther, isAlone }) => {
    expect({ isOther: isOfOther(makers), isAlone: isOursAlone(makers) }).toEqual({ isOther, isAlone });
  });
});

describe("markedName", () => {
  it("differs by hub and by Repository, and stays the same", () => {
    const names = [owner, otherHub, otherRepository].map((each) => markedName("rollcall/join/fleet/edge", each));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^rollcall\/join\/fleet\/edge_[0-9a-f]{12}$/u);
    expect(markedName("rollcall/join/fleet/edge", { ...owner })).toBe(names[0]);
  });
});
