import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import {
  approvalKey,
  chargeApprovals,
  endApprovals,
  mergeApprovals,
  mostApprovals,
} from "../../../src/planning/approvals.ts";
import { approval, declared, fleetOf, live, many, plan } from "./plan-builders.ts";

type Overrides = NonNullable<Parameters<typeof plan>[2]>;

/** A plan of twenty clusters whose first `count` files are deleted; two removals are within the budget. */
function without(count: number, overrides: Overrides = {}) {
  const rest = many.slice(count);
  return plan(
    fleetOf(...rest.map((name) => declared(name))),
    many.map((name) => live(name)),
    overrides,
  );
}

const idsOf = (count: number): string[] => without(count).account.charges.map(({ id }) => id);
const key = approvalKey(approval(1).approval);

describe("an approval of a commit that was not applied before", () => {
  it.each<{ reason: string; holds: Overrides["holds"]; count: number; approved: number; removed: number }>([
    { reason: "covers each of them", holds: { wasAppliedBefore: false }, count: 2, approved: 2, removed: 2 },
    { reason: "covers more", holds: { wasAppliedBefore: false }, count: 1, approved: 3, removed: 1 },
    {
      reason: "covers one of two, which the budget allows",
      holds: { wasAppliedBefore: false },
      count: 2,
      approved: 1,
      removed: 0,
    },
    { reason: "covers none", holds: { isForeignHistory: true }, count: 2, approved: 0, removed: 0 },
    { reason: "covers all of another history", holds: { isForeignHistory: true }, count: 2, approved: 2, removed: 2 },
    {
      reason: "lifts nothing of the same history, where the budget allows two",
      holds: {},
      count: 2,
      approved: 1,
      removed: 2,
    },
  ])("removes $removed of $count when it $reason", ({ holds, count, approved, removed }) => {
    const approvals = approved === 0 ? [] : [approval(approved)];
    const seen = without(count, { approvals, holds: { isApproved: true, ...holds } });
    expect([seen.removals.length, seen.withheld.length]).toEqual([removed, count - removed]);
  });
});

describe("the account of removals", () => {
  it("charges nothing to an approval what the budget allows, with those of the last day", () => {
    expect(without(1, { approvals: [approval(3)], recentRemovals: 1 }).account.charges).toEqual([{ id: idsOf(1)[0] }]);
  });

  it("charges all to the approval as soon as the budget does not allow them", () => {
    const { account } = without(2, { approvals: [approval(3)], recentRemovals: 1 });
    expect(account.charges).toEqual(idsOf(2).map((id) => ({ id, approval: key })));
  });

  it("charges nothing of what it withholds", () => {
    expect(without(3).account.charges).toEqual([]);
    expect(without(3).budget).toMatchObject({ wanted: 3, recent: 0, limit: 2, isExceeded: true });
  });

  it.each([
    { isReservedCounted: true, recentRemovals: 2, recent: 0 },
    { isReservedCounted: true, recentRemovals: 1, recent: 0 },
    { isReservedCounted: false, recentRemovals: 1, recent: 1 },
  ])("counts what is reserved once: $recentRemovals recent, counted $isReservedCounted: $recent", (row) => {
    const { recent, ...inputs } = row;
    const reserved = new Map(idsOf(2).map((id) => [id, undefined] as const));
    const seen = without(2, { reserved, ...inputs });
    expect(seen.budget.recent).toBe(recent);
    expect(seen.account.returned.map(({ id }) => id)).toEqual(idsOf(2));
  });

  it("gives back what an approval was charged with, and charges it again", () => {
    const [first = ""] = idsOf(1);
    const spent = { ...approval(3).approval, spent: 1 };
    const inputs = {
      recentRemovals: 3,
      reserved: new Map([[first, key]]),
      approvals: [{ approval: spent, covers: undefined }],
    };
    const { account } = without(3, { ...inputs, isReservedCounted: false });
    expect(account.returned).toEqual([{ id: first, cluster: "prod/c0", approval: key }]);
    expect(account.charges).toHaveLength(3);
    expect(account.approvals).toEqual([{ ...spent, spent: 0 }]);
    // One that waits again stays charged.
    expect(without(4, { ...inputs, isReservedCounted: false }).account.approvals).toEqual([spent]);
  });
});

describe("approvals", () => {
  const of = (commit: string, rest: Partial<RemovalApproval> = {}): RemovalApproval => ({
    commit,
    by: "Trailer",
    count: 1,
    spent: 0,
    ...rest,
  });
  const filled = (first: readonly RemovalApproval[]): RemovalApproval[] => [
    ...first,
    ...Array.from({ length: mostApprovals - first.length }, (_, index) => of(`f${index}`)),
  ];
  const forgottenOf = (known: readonly RemovalApproval[], inUse: readonly string[] = []): string[] => {
    const kept = mergeApprovals(known, [of("new")], new Set(inUse));
    return known.filter((one) => !kept.includes(one)).map(({ commit }) => commit);
  };

  it.each<{ reason: string; first: readonly RemovalApproval[]; inUse?: readonly string[]; forgotten: string }>([
    { reason: "one that is spent", first: [of("a"), of("b", { spent: 1 })], forgotten: "b" },
    { reason: "one that lapsed", first: [of("a"), of("b", { lapsed: true })], forgotten: "b" },
    { reason: "the oldest of those that are open", first: [of("a"), of("b")], forgotten: "a" },
    { reason: "none that removals are charged to", first: [of("a"), of("b")], inUse: ["Trailer/a"], forgotten: "b" },
    { reason: "no command", first: [of("a", { by: "Command", spent: 1 }), of("b")], forgotten: "b" },
    {
      reason: "one in use before a command",
      first: [
        of("a", { by: "Command", spent: 1 }),
        ...Array.from({ length: mostApprovals - 2 }, (_, index) => of(`c${index}`, { by: "Command" })),
        of("b"),
      ],
      inUse: ["Trailer/b", "Trailer/new"],
      forgotten: "b",
    },
  ])("forget first $reason", ({ first, inUse = [], forgotten }) => {
    expect(forgottenOf(filled(first), inUse)).toEqual([forgotten]);
  });

  it("are all kept as long as there is room", () => {
    expect(forgottenOf(filled([]).slice(1))).toEqual([]);
  });

  it("lapse once, and keep what is spent of them", () => {
    const known = [of("a", { count: 3, spent: 2 })];
    expect(mergeApprovals(known, [of("a", { count: 9, lapsed: true })])).toEqual([{ ...known[0], lapsed: true }]);
    expect(mergeApprovals(known, [of("a", { count: 9 })])).toEqual(known);
  });

  it("let through no more than what waits after a commit is settled", () => {
    const approvals = [of("a", { count: 5, spent: 1 }), of("b", { count: 1, spent: 1 }), of("c", { count: 2 })];
    expect(endApprovals(approvals, 2).map(({ count, lapsed }) => [count, lapsed])).toEqual([
      [3, undefined],
      [1, undefined],
      [2, undefined],
    ]);
    expect(endApprovals(approvals, 0).map(({ lapsed }) => lapsed)).toEqual([true, undefined, true]);
  });

  it("are charged oldest first, each with what it covers", () => {
    const charged = chargeApprovals(
      ["1", "2", "3", "4"],
      [
        { approval: of("a", { count: 2, spent: 1 }), covers: new Set(["2", "3"]) },
        { approval: of("b", { count: 2 }), covers: undefined },
      ],
    );
    expect([...charged]).toEqual([
      ["2", "Trailer/a"],
      ["1", "Trailer/b"],
      ["3", "Trailer/b"],
    ]);
  });
});
