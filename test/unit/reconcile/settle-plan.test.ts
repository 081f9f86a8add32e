import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { settlePlan } from "../../../src/reconcile/settle-plan.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { creation, outcome, planOfNothing, scopeOf } from "./phase-builders.ts";

describe("settlePlan", () => {
  const plan = {
    ...planOfNothing,
    commit: "c1",
    changes: [creation("a")],
    removals: [{ kind: "leave" as const, cluster: "fleet/b", reason: "its file is deleted" }],
    account: { charges: [{ id: "1" }], returned: [{ id: "2", cluster: "fleet/c" }], approvals: [] },
  };

  it("keeps the plan without what was carried out", () => {
    const scope = scopeOf({ plan, outcomes: [outcome("a")] });
    settlePlan(scope);
    expect(scope.settledPlan).toEqual({ ...planOfNothing, commit: "c1" });
  });

  it.each<[string, Partial<RunScope>]>([
    ["there is no plan", { plan: undefined }],
    ["the branch could not be read", { sourceError: new Error("away") }],
    ["one write failed", { outcomes: [outcome("a"), outcome("b", new AppError("E_KUBE_UNREACHABLE", "500"))] }],
    ["a person changed an object meanwhile", { postponed: [creation("a")], edited: [creation("a")] }],
  ])("keeps nothing when %s, so that the next run plans anew", (_reason, fields) => {
    const scope = scopeOf({ plan, settledPlan: planOfNothing, ...fields });
    settlePlan(scope);
    expect(scope.settledPlan).toBeUndefined();
  });
});
