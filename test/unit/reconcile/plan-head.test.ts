import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
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
