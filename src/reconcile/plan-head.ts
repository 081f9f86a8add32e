import { isAppError } from "../core/errors.ts";
import { countObjects } from "../hub/fleet-counts.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import { basisOf } from "../review/plan-basis.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";
import type { TouchedObjects } from "./touched-objects.ts";

/** So often a whole plan is made, whatever changed: what an earlier one may have missed does not stay. */
const wholePlanMs = 3_600_000;

interface PlanPorts extends Pick<ReconcilerOptions, "planner" | "view" | "clock" | "log"> {
  readonly touched?: TouchedObjects;
}

/**
 * Plans the commit that was read, by what changed since the plan before where that is enough. A Repository that must not be
 * planned reports that in its status; nothing of it is applied.
 */
export async function planHead(scope: RunScope, ports: PlanPorts): Promise<void> {
  if (!scope.snapshot) return;
  // A namespace may have become a workspace while the commit was read.
  await ports.view.whenSynced(scope.signal);
  try {
    if (await planChange(scope, scope.snapshot, ports)) return;
    const planned = await ports.planner.plan(scope.repository, scope.snapshot);
    scope.plan = planned.plan;
    if (ports.touched) scope.basis = basisOf(scope.repository, scope.snapshot, planned, ports.clock.monotonicMs());
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!isAppError(error) || error.recovery === "bug") throw error;
    scope.sourceError = error;
  }
}

/** Returns false when a whole plan is required. */
async function planChange(
  scope: RunScope,
  snapshot: SourceSnapshot,
  { planner, view, clock, touched }: PlanPorts,
): Promise<boolean> {
  const { repository, basis } = scope;
  // Either plan covers what was touched until now; what is touched from now on is for the next one.
  const refs = touched?.take();
  scope.basis = undefined;
  if (basis === undefined || refs === undefined) return false;
  if (clock.monotonicMs() - basis.plannedAtMs > wholePlanMs) return false;
  const ownedClusters = countObjects(view, repositoryLabelOf(repository)).ownedClusters;
  const since = await planner.planSince(repository, snapshot, { basis, touched: refs, ownedClusters });
  if (since === undefined) return false;
  scope.plan = since.plan;
  scope.basis = since.basis;
  scope.visitedCount = since.visitedCount;
  return true;
}
