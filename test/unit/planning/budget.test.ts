import { describe, expect, it } from "vitest";
import { evaluateBudget, withApproval } from "../../../src/planning/budget.ts";

describe("evaluateBudget", () => {
  it.each([
    { wanted: 1, recent: 0, ownedBefore: 1, limit: 1, isExceeded: false, reason: "at least one is always allowed" },
    { wanted: 2, recent: 0, ownedBefore: 5, limit: 1, isExceeded: true, reason: "a tenth of five is less than one" },
    { wanted: 10, recent: 0, ownedBefore: 100, limit: 10, isExceeded: false, reason: "a tenth" },
    { wanted: 1, recent: 10, ownedBefore: 100, limit: 10, isExceeded: true, reason: "the last day counts" },
    { wanted: 26, recent: 0, ownedBefore: 9000, limit: 25, isExceeded: true, reason: "never more than 25" },
    { wanted: 0, recent: 99, ownedBefore: 100, limit: 10, isExceeded: false, reason: "nothing is wanted" },
  ])(
    "allows $limit of $ownedBefore when $wanted are wanted: $reason",
    ({ limit, isExceeded, wanted, recent, ownedBefore }) => {
      expect(evaluateBudget({ wanted, recent, ownedBefore })).toMatchObject({ limit, isExceeded });
    },
  );

  it("lets through what an approval names, and no more", () => {
    expect(evaluateBudget({ wanted: 7, recent: 3, ownedBefore: 10, approved: 7 }).isExceeded).toBe(false);
    expect(evaluateBudget({ wanted: 8, recent: 0, ownedBefore: 10, approved: 7 })).toMatchObject({
      isExceeded: true,
      trailer: "Rollcall-Allow-Deletions: 8",
    });
  });
});

describe("withApproval", () => {
  const leave = { kind: "leave", cluster: "fleet/a", reason: "gone" } as const;

  it("keeps the line that approves removals after a day with more of them than the budget", () => {
    const budget = evaluateBudget({ wanted: 4, recent: 4, ownedBefore: 10 });
    const withheld = Array.from({ length: 4 }, () => ({ ...leave, because: "budget" as const }));
    const approved = withApproval(budget, { withheld, heldDeletes: [] });
    expect(approved).toMatchObject({ approvable: 4, trailer: "Rollcall-Allow-Deletions: 4" });
    expect(approved).not.toHaveProperty("needsDocument");
  });

  it("has no such line when nothing waits after such a day", () => {
    const budget = evaluateBudget({ wanted: 0, recent: 4, ownedBefore: 10 });
    expect(withApproval(budget, { withheld: [], heldDeletes: [] })).toEqual(budget);
  });
});
