import { describe, expect, it } from "vitest";
import type { CommitOutcome, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import type { Plan, PlannedChange } from "../../../src/model/plan.ts";
import {
  countRecentRemovals,
  outcomeOf,
  rangeBaseOf,
  recordOutcome,
  reservedRemovals,
  reserveRemovals,
  settleRemovals,
  withRangeBase,
} from "../../../src/planning/repository-state.ts";

const nowMs = Date.parse("2027-01-02T10:30:00Z");
const thisHour = "2027-01-02T10:00:00Z";
const earlier = "2027-01-02T08:00:00Z";
/** Its last minute is exactly a day ago. */
const dayAgo = "2027-01-01T09:30:00Z";
const yetCounted = "2027-01-01T09:31:00Z";

type Account = Plan["account"];
const charge = (id: string, approval?: string) => ({ id, cluster: id, approval }) as unknown as Account["charges"][0];

function planOf(account: Partial<Account>, rest: Partial<Plan> = {}): Plan {
  return {
    commit: "c0ffee",
    changes: [],
    removals: [],
    withheld: [],
    heldDeletes: [],
    budget: { wanted: 0, recent: 0, limit: 0, isExceeded: false },
    account: { charges: [], returned: [], approvals: [], ...account },
    problems: [],
    ...rest,
  };
}

const removed = (cluster: string) => ({ object: `Cluster/${cluster}`, action: "Leave" as const, time: earlier });

describe("the removals of the last day", () => {
  it("count hour by hour, none for less than a day", () => {
    const hours = [
      { hour: dayAgo, count: 100 },
      { hour: yetCounted, count: 3 },
      { hour: thisHour, count: 4 },
    ];
    expect(countRecentRemovals({ deletions: { count: 0, hours, last: [] } }, nowMs)).toBe(7);
    expect(countRecentRemovals(undefined, nowMs)).toBe(0);
    expect(countRecentRemovals({}, nowMs)).toBe(0);
  });

  it.each([
    { hour: thisHour, isReservedCounted: true },
    { hour: dayAgo, isReservedCounted: false },
  ])("reserved at $hour are counted: $isReservedCounted", ({ hour, isReservedCounted }) => {
    const removing = { hour, groups: [{ approval: "a", removals: ["1", "2"] }, { removals: ["3"] }] };
    expect(reservedRemovals({ removing }, nowMs)).toEqual({
      reserved: new Map([
        ["1", "a"],
        ["2", "a"],
        ["3", undefined],
      ]),
      isReservedCounted,
    });
  });

  it("are none where nothing was written", () => {
    expect(reservedRemovals(undefined, nowMs)).toEqual({ reserved: new Map(), isReservedCounted: false });
  });
});

describe("reserveRemovals", () => {
  const removals = [{ kind: "leave", cluster: "fleet/a" }] as unknown as Plan["removals"];

  it("writes nothing where nothing is counted", () => {
    expect(reserveRemovals(undefined, planOf({}), nowMs)).toBeUndefined();
    expect(reserveRemovals({ appliedCommit: "b" }, planOf({}), nowMs)).toBeUndefined();
  });

  it("counts in the hour that runs, beside what is known, and keeps the rest of the status", () => {
    const status: RepositoryStatus = {
      appliedCommit: "b",
      deletions: {
        count: 6,
        hours: [
          { hour: dayAgo, count: 5 },
          { hour: thisHour, count: 1 },
        ],
        last: [removed("fleet/z")],
      },
    };
    const plan = planOf({ charges: [charge("1"), charge("2", "x")] }, { removals });
    expect(reserveRemovals(status, plan, nowMs)).toEqual({
      appliedCommit: "b",
      deletions: {
        count: 3,
        hours: [{ hour: thisHour, count: 3 }],
        last: [
          { object: "Cluster/fleet/a", action: "Leave", commit: "c0ffee", time: "2027-01-02T10:30:00Z" },
          removed("fleet/z"),
        ],
      },
      removing: { hour: thisHour, groups: [{ removals: ["1"] }, { approval: "x", removals: ["2"] }] },
    });
  });

  it.each([
    ["leave", "Leave"],
    ["move", "Move"],
    ["protocol", "ProtocolChange"],
    ["label", "LabelRemoval"],
  ])("records a removal by %s as %s, without a commit where the plan has none", (kind, action) => {
    const { commit: _, ...plan } = planOf(
      { charges: [charge("1")] },
      { removals: [{ kind, cluster: "fleet/a" }] as unknown as Plan["removals"] },
    );
    const last = reserveRemovals(undefined, plan, nowMs)?.deletions?.last;
    expect(last).toEqual([{ object: "Cluster/fleet/a", action, time: "2027-01-02T10:30:00Z" }]);
  });

  it("lists the twenty newest", () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ kind: "leave", cluster: `fleet/${index}` }));
    const plan = planOf({ charges: [charge("1")] }, { removals: many as unknown as Plan["removals"] });
    const last = reserveRemovals({ deletions: { count: 0, hours: [], last: [removed("old")] } }, plan, nowMs)?.deletions
      ?.last;
    expect([last?.length, last?.at(-1)?.object]).toEqual([20, "Cluster/fleet/19"]);
  });
});

describe("settleRemovals", () => {
  it("forgets what is older than a day and what was carried out", () => {
    const status: RepositoryStatus = {
      deletions: {
        count: 9,
        hours: [
          { hour: dayAgo, count: 8 },
          { hour: earlier, count: 1 },
        ],
        last: [],
      },
      removing: { hour: earlier, groups: [{ approval: "x", removals: ["1", "2"] }, { removals: ["3"] }] },
    };
    expect(settleRemovals(status, new Set(["2", "3"]), nowMs)).toEqual({
      deletions: { count: 1, hours: [{ hour: earlier, count: 1 }], last: [] },
      removing: { hour: earlier, groups: [{ approval: "x", removals: ["1"] }] },
    });
    expect(settleRemovals(status, new Set(["1", "2", "3"]), nowMs)).not.toHaveProperty("removing");
    expect(settleRemovals(undefined, new Set(), nowMs)).toEqual({});
  });

  it("keeps the list of removals although no hour counts", () => {
    const deletions = { count: 8, hours: [{ hour: dayAgo, count: 8 }], last: [removed("a")] };
    expect(settleRemovals({ deletions }, new Set(), nowMs)).toEqual({
      deletions: { count: 0, hours: [], last: [removed("a")] },
    });
  });
});

describe("the commit range", () => {
  it("begins at the settled commit, or at the applied one", () => {
    expect(rangeBaseOf({ settledCommit: "s", appliedCommit: "a" })).toBe("s");
    expect(rangeBaseOf({ appliedCommit: "a" })).toBe("a");
    expect(rangeBaseOf(undefined)).toBeUndefined();
  });

  it("can be begun anew", () => {
    const repository = { status: { settledCommit: "s", appliedCommit: "a", url: "u" } } as never;
    expect(withRangeBase(repository, "b").status).toEqual({ appliedCommit: "b", url: "u" });
    expect(withRangeBase({} as never, "b").status).toEqual({ appliedCommit: "b" });
  });
});

describe("the outcome of a commit", () => {
  const change = (kind: PlannedChange["kind"]) => ({ kind }) as PlannedChange;
  const [create, remove, leave, update] = [change("create"), change("delete"), change("leave"), change("update")];
  const error = { severity: "error" } as Plan["problems"][0];
  const warning = { severity: "warning" } as Plan["problems"][0];
  const withheld = [{}] as unknown as Plan["withheld"];
  const heldDeletes = [{}] as unknown as Plan["heldDeletes"];
  const all = { changes: [create, remove, leave, update] };

  it.each<{ of: Partial<Plan>; failed?: PlannedChange[]; postponed?: PlannedChange[]; is: string; says: string }>([
    { of: {}, is: "Applied", says: "0 changes." },
    { of: { ...all, problems: [warning] }, is: "Applied", says: "4 changes." },
    { of: all, failed: [leave], is: "Partial", says: "3 changes, 1 failed." },
    { of: all, postponed: [create, update], is: "Partial", says: "2 changes, 2 postponed." },
    { of: { ...all, problems: [error, warning] }, is: "Partial", says: "4 changes, 1 error in files." },
    { of: { ...all, withheld, heldDeletes }, is: "Withheld", says: "4 changes, 2 removals withheld." },
    {
      of: { ...all, withheld, problems: [error] },
      is: "Withheld",
      says: "4 changes, 1 error in files, 1 removal withheld.",
    },
  ])("is $is: $says", ({ of, failed = [], postponed, is, says }) => {
    const context = { nowMs, ...(postponed ? { postponed } : {}) };
    expect(outcomeOf(planOf({}, of), failed, context)).toMatchObject({ outcome: is, message: says });
  });

  it("counts leaves and deletes that were done as removals, and has the commit, time and author", () => {
    const context = { nowMs, author: "x".repeat(300) };
    const { commit: _, ...nameless } = planOf({});
    expect(outcomeOf(planOf({}, { ...all, problems: [error] }), [update], context)).toEqual({
      commit: "c0ffee",
      time: "2027-01-02T10:30:00Z",
      author: "x".repeat(256),
      outcome: "Partial",
      counts: { changes: 3, removals: 2, failed: 1, errors: 1, withheld: 0 },
      message: "3 changes, 1 failed, 1 error in files.",
    });
    expect(outcomeOf(nameless, [], { nowMs })).not.toHaveProperty("author");
    expect(outcomeOf(nameless, [], { nowMs }).commit).toBe("");
    expect(outcomeOf(planOf({}, all), [leave], { nowMs }).counts?.removals).toBe(1);
  });
});

describe("recordOutcome", () => {
  const of = (commit: string, outcome: CommitOutcome["outcome"], message = ""): CommitOutcome =>
    ({ commit, outcome, message }) as CommitOutcome;

  it("puts a further commit first and keeps twenty", () => {
    const recent = Array.from({ length: 20 }, (_, index) => of(`c${index}`, "Applied"));
    const seen = recordOutcome(recent, of("new", "Partial"));
    expect([seen.length, seen[0]?.commit, seen.at(-1)?.commit]).toEqual([20, "new", "c18"]);
    expect(recordOutcome(undefined, of("new", "Applied"))).toEqual([of("new", "Applied")]);
  });

  it("replaces the entry of a commit only when its outcome changed", () => {
    const recent = [of("a", "Partial", "first"), of("b", "Applied")];
    expect(recordOutcome(recent, of("a", "Partial", "again"))).toEqual(recent);
    expect(recordOutcome(recent, of("a", "Applied", "again"))).toEqual([of("a", "Applied", "again"), recent[1]]);
  });
});
