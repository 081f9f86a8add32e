import type { Plan } from "../model/plan.ts";
import type { RunScope } from "./run-scope.ts";

/**
 * Computes what a plan made right after this run contains, but for changes that wait for the end of a fight; undefined when that
 * is not known.
 */
export function settlePlan(scope: RunScope): void {
  scope.settledPlan = settledPlanOf(scope);
}

function settledPlanOf({ plan, outcomes, edited, sourceError }: RunScope): Plan | undefined {
  if (edited.length > 0) return undefined;
  if (!plan || sourceError !== undefined || outcomes.some(({ error }) => error !== undefined)) return undefined;
  return { ...plan, changes: [], removals: [], account: { ...plan.account, charges: [], returned: [] } };
}
