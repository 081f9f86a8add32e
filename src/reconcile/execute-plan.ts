import { AppError } from "../core/errors.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import { executeChanges } from "../hub/execute-changes.ts";
import { isSuspended } from "../model/is-suspended.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { PlannedChange } from "../model/plan.ts";
import { currentFights, describeFight, isPostponed, recordReverts } from "../planning/field-fights.ts";
import { auditFields } from "./audit.ts";
import type { HubFollower } from "./follow-hub.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";

/** A hub that is slow with a commit's writes must not keep the other members waiting. */
const holdLimitMs = 30_000;

interface ExecutePorts extends Pick<
  ReconcilerOptions,
  "hubApi" | "view" | "readRepository" | "holdMembers" | "events" | "clock" | "log" | "onPlan"
> {
  readonly hubFollower?: Pick<HubFollower, "isEditedSince">;
}

/**
 * Carries out what is due of the plan. A change waits when other writers keep changing its fields back, or when a person
 * changed the object after the run read it and that change is to become one of a file.
 */
export async function executePlan(scope: RunScope, ports: ExecutePorts): Promise<void> {
  await executeChangesOf(scope, ports);
  if (scope.plan) ports.onPlan?.(scope.plan, scope.outcomes);
}

async function executeChangesOf(scope: RunScope, ports: ExecutePorts): Promise<void> {
  // As the run read it, and as it planned by it.
  const { plan, written: planned, signal } = scope;
  if (!plan || plan.changes.length === 0) return;
  const { hubApi, view, log } = ports;
  const nowMs = ports.clock.monotonicMs();
  const edited = new Set(plan.changes.filter((change) => ports.hubFollower?.isEditedSince(change) === true));
  const postponed = new Set(
    plan.changes.filter((change) => edited.has(change) || isPostponed(change, scope.fights, nowMs)),
  );
  scope.edited = [...edited];
  scope.postponed = [...postponed];
  const due = plan.changes.filter((change) => !postponed.has(change));
  const before = new Map(due.map((change) => [change, view.get(change.ref)]));
  const release = holdForAWhile(ports);
  try {
    scope.outcomes = await executeChanges(due, {
      hubApi,
      known: view,
      recordWritten: (type, object) => view.recordWritten(type, object, { isPlanned: true }),
      recordDeleted: (ref) => view.recordDeleted(ref, { isPlanned: true }),
      refuse: (change) => refuseStopped(change, planned, ports),
      signal,
    });
  } finally {
    release();
  }
  const author = scope.snapshot?.commit.author;
  const isApplied = plan.commit !== undefined && plan.commit === scope.repository.status?.appliedCommit;
  const done = scope.outcomes.flatMap(({ change, error }) => (error ? [] : [{ change, before: before.get(change) }]));
  scope.fights = recordReverts(scope.fights, done, { nowMs: ports.clock.monotonicMs(), isApplied });
  reportFights(ports, scope, done);
  for (const { change, error } of scope.outcomes) {
    const fields = auditFields(change, { commit: plan.commit, author, isApplied });
    if (error) log.warn("change failed", { ...fields, error });
    else log.info("change applied", fields);
  }
}

/**
 * A person may stop a plan that is being carried out: they suspend the Repository, delete it, or give it other settings, by
 * which the plan may be another one. Or they take an object from it. What has no fields calls a cluster back from its leave.
 * @throws E_KUBE_CONFLICT
 */
function refuseStopped(change: PlannedChange, planned: Repository, { view, readRepository }: ExecutePorts): void {
  const refuse = (why: string): never => {
    throw new AppError("E_KUBE_CONFLICT", `${change.kind} ${describeRef(change.ref)}: ${why} since the plan was made`);
  };
  const { metadata, spec } = readRepository() ?? {};
  if (metadata === undefined || spec?.suspend === true || metadata.generation !== planned.metadata.generation)
    refuse("the Repository was suspended, changed or deleted");
  const live = change.kind === "update" && change.fields.length > 0 ? view.get(change.ref) : undefined;
  if (live !== undefined && isSuspended(live)) refuse("it was suspended");
}

/** Reports on each object that another writer keeps changing it, at each further revert. */
function reportFights(
  { events, view, clock }: Pick<ExecutePorts, "events" | "view" | "clock">,
  { fights }: RunScope,
  done: readonly Pick<ChangeOutcome, "change">[],
): void {
  const refs = new Map(done.map(({ change }) => [describeRef(change.ref), change.ref]));
  for (const fight of currentFights(fights, clock.monotonicMs())) {
    const ref = refs.get(fight.object);
    const regarding = ref && view.get(ref);
    if (regarding) events?.record({ regarding, type: "Warning", reason: "FieldFight", message: describeFight(fight) });
  }
}

/** Changes of the whole fleet come before the many writes of each member, but for a limited time. */
export function holdForAWhile(
  { holdMembers, clock }: Pick<ExecutePorts, "holdMembers" | "clock">,
  limitMs = holdLimitMs,
): () => void {
  const release = holdMembers?.();
  if (!release) return () => undefined;
  const limit = new AbortController();
  clock.sleep(limitMs, limit.signal).then(release, () => undefined);
  return () => {
    limit.abort();
    release();
  };
}
