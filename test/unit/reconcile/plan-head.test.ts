import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { planHead } from "../../../src/reconcile/plan-head.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { planOfNothing, scopeOf } from "./phase-builders.ts";
import { snapshotOf } from "./hub-changes.ts";

const snapshot = snapshotOf();
const refused = new AppError("E_DEFAULTS_CONFLICT", "plan", { recovery: "stalled" });

async function plan(fields: Partial<RunScope>, error?: Error) {
  let plans = 0;
  const planner = {
    plan: () => {
      plans += 1;
      return error ? Promise.reject(error) : Promise.resolve({ plan: planOfNothing });
    },
  };
  const scope = scopeOf(fields);
  const waits: number[] = [];
  const view = { whenSynced: async () => void waits.push(plans) };
  await planHead(scope, { planner, view, log: silentLog } as never);
  return { scope, plans, waits };
}

describe("planHead", () => {
  it("plans nothing without a commit", async () => {
    const { scope, plans } = await plan({});
    expect([plans, scope.plan]).toEqual([0, undefined]);
  });

  it("sets the plan of the commit that was read", async () => {
    const { scope } = await plan({ snapshot });
    expect([scope.plan, scope.sourceError]).toEqual([planOfNothing, undefined]);
  });

  it("plans when every workspace is listed, also one that came while the commit was read", async () => {
    const { plans, waits } = await plan({ snapshot });
    expect([plans, waits]).toEqual([1, [0]]);
  });

  it("reports a Repository that must not be planned, and has no plan", async () => {
    const { scope } = await plan({ snapshot }, refused);
    expect([scope.plan, scope.sourceError]).toEqual([undefined, refused]);
  });

  it.each([
    { reason: "a bug", error: new AppError("E_BUG", "plan") },
    { reason: "an error that is none of ours", error: new TypeError("plan") },
  ])("fails with $reason", async ({ error }) => {
    await expect(plan({ snapshot }, error)).rejects.toBe(error);
  });

  it("ends with the run when that is stopped", async () => {
    await expect(plan({ snapshot, signal: AbortSignal.abort(new Error("stopped")) }, refused)).rejects.toThrow(
      "stopped",
    );
  });
});

describe("planHead by what changed", () => {
  const hourMs = 3_600_000;
  const since = { plan: { ...planOfNothing, base: "since" }, basis: { plannedAtMs: 2 }, visitedCount: 7 };
  const touchedRef = { type: resourceTypes.cluster, namespace: "fleet", name: "a" };

  /** `result`: what the plan by change gives. */
  async function planSince({
    basis = { plannedAtMs: 0 },
    touched = [touchedRef],
    nowMs = hourMs,
    result = since,
  }: Given) {
    const given: unknown[] = [];
    const planner = {
      plan: () => Promise.resolve({ plan: planOfNothing, checked: {}, declared: {} }),
      planSince: (_repository: unknown, _snapshot: unknown, change: unknown) => {
        given.push(change);
        return Promise.resolve(result ?? undefined);
      },
    };
    const scope = scopeOf({ snapshot, basis: (basis ?? undefined) as never });
    const view = { whenSynced: () => Promise.resolve(), list: () => [], subscribe: () => undefined };
    const ports = { planner, view, log: silentLog, clock: { monotonicMs: () => nowMs } };
    await planHead(scope, { ...ports, touched: { take: () => touched ?? undefined } } as never).catch(() => undefined);
    return { scope, given };
  }
  interface Given {
    readonly basis?: { plannedAtMs: number } | null;
    readonly touched?: readonly unknown[] | null;
    readonly nowMs?: number;
    readonly result?: typeof since | null;
  }

  it("takes the plan of what was touched since the last one", async () => {
    const { scope, given } = await planSince({});
    expect(given).toEqual([{ basis: { plannedAtMs: 0 }, touched: [touchedRef], ownedClusters: 0 }]);
    expect(scope).toMatchObject(since);
  });

  it.each<[string, Given, number]>([
    ["there was no plan before", { basis: null }, 0],
    ["what was touched cannot be named", { touched: null }, 0],
    ["the last whole plan is more than an hour old", { nowMs: hourMs + 1 }, 0],
    ["the change requires it", { result: null }, 1],
  ])("makes a whole plan when %s", async (_reason, given, tries) => {
    const made = await planSince(given);
    expect([made.given.length, made.scope.plan?.base, made.scope.visitedCount]).toEqual([tries, undefined, undefined]);
    expect(made.scope.plan).toBe(planOfNothing);
  });
});
