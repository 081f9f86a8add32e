import type { AppError } from "../../../src/core/errors.ts";
import type { ChangeOutcome } from "../../../src/hub/execute-changes.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { Plan, PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { initialState, openRunScope } from "../../../src/reconcile/run-scope.ts";

export const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "rollcall", uid: "r1", resourceVersion: "1" },
  spec: { url: "https://git.example.org/fleet.git" },
};

export const planOfNothing: Plan = {
  changes: [],
  removals: [],
  withheld: [],
  heldDeletes: [],
  budget: { wanted: 0, recent: 0, limit: 3, isExceeded: false },
  account: { charges: [], returned: [], approvals: [] },
  problems: [],
};

/** The creation of a Cluster. */
export function creation(name: string): PlannedChange {
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name };
  const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name, namespace: "fleet" } };
  return { kind: "create", ref, object, manager: "rollcall-git", fields: [] };
}

export function outcome(name: string, error?: AppError): ChangeOutcome {
  return { change: creation(name), ...(error === undefined ? {} : { error }) };
}

/** The scope of a run that follows the branch, as phases before the one under test have left it. */
export function scopeOf(fields: Partial<RunScope> = {}): RunScope {
  const signal = new AbortController().signal;
  const scope = openRunScope({ repository, reason: "read", signal, startedAtMs: 0, isFollowing: true }, initialState);
  return { ...scope, ...fields };
}
