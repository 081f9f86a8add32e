import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { Repository, RepositoryStatus } from "../model/generated/repository.ts";
import type { Plan } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { endApprovals, mergeApprovals } from "../planning/approvals.ts";
import { toConditions } from "../planning/conditions.ts";
import { outcomeOf, recordOutcome, settleRemovals, sourcePlaceOf } from "../planning/repository-state.ts";
import { repositoryConditions } from "./repository-conditions.ts";
import type { RunResult } from "./run-result.ts";
import { waitingFiles } from "./waiting-files.ts";
import { isRangeWithheld, withheldObjects, withheldRecord } from "./withheld-removals.ts";

/**
 * Repository.status after a run. appliedCommit moves only when every effect of the commit is on the hub; settledCommit moves
 * also past files with errors.
 */
export function computeRepositoryStatus(repository: Repository, result: RunResult, nowMs: number): RepositoryStatus {
  // What was left behind is the hub's half's to write.
  const {
    leftBehind: _,
    workspaceLimit: _limit,
    serves: _served,
    ...before
  }: RepositoryStatus = repository.status ?? {};
  const { plan } = result;
  const failed = result.outcomes.filter(({ error }) => error !== undefined);
  const generation = repository.metadata.generation;
  const { workspaceLimit, serves } = result;
  const base: RepositoryStatus = {
    ...before,
    ...(workspaceLimit === undefined ? {} : { workspaceLimit: [...workspaceLimit] }),
    ...(serves === undefined ? {} : { serves: serves.map((protocol) => ({ ...protocol })) }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: toConditions(repositoryConditions(repository, result, failed), before.conditions, {
      nowMs,
      ...(generation === undefined ? {} : { generation }),
    }),
    ...(result.statusCommit === undefined ? {} : { statusCommit: result.statusCommit }),
    ...(result.counts ? { counts: result.counts } : {}),
    ...(result.handledRequest === undefined ? {} : { lastHandledRequest: result.handledRequest }),
  };
  if (repository.spec.verify === undefined) delete base.verifiedCommit;
  else if (result.verifiedCommit !== undefined) base.verifiedCommit = result.verifiedCommit;
  if (!plan?.commit) return base;
  const { author } = result;
  // Of an applied commit it is an edit that is reverted a little later.
  const postponed = before.appliedCommit === plan.commit ? [] : (result.waiting ?? []);
  const outcome = outcomeOf(
    plan,
    failed.map(({ change }) => change),
    { nowMs, postponed, ...(author === undefined ? {} : { author }) },
  );
  const waiting = waitingFiles(plan, failed, before.waiting);
  const settledFrom = { ...(result.readFrom ?? sourcePlaceOf(repository.spec)) };
  const isSettled = failed.length === 0 && (result.waiting ?? []).length === 0 && !isRangeWithheld(plan);
  const next: RepositoryStatus = {
    ...base,
    url: result.openedUrl ?? repository.spec.url,
    observedCommit: plan.commit,
    ...(outcome.outcome === "Applied" ? { appliedCommit: plan.commit } : {}),
    ...(isSettled ? { settledCommit: plan.commit, settledFrom } : {}),
    scannedCommit: plan.commit,
    recentCommits: recordOutcome(before.recentCommits, outcome),
    problems: problemsRecord(plan),
  };
  delete next.deletions;
  delete next.removing;
  delete next.withheld;
  delete next.waiting;
  delete next.approvals;
  Object.assign(next, settleRemovals(before, settledCharges(plan, result.outcomes), nowMs));
  if (waiting) next.waiting = waiting;
  const inUse = new Set(plan.account.charges.flatMap(({ approval }) => approval ?? []));
  const merged = mergeApprovals(before.approvals ?? [], plan.account.approvals, inUse);
  const isEnded = isSettled && next.removing === undefined;
  const approvals = isEnded ? endApprovals(merged, withheldObjects(plan).length) : merged;
  if (approvals.length > 0) next.approvals = [...approvals];
  const withheld = withheldRecord(plan, plan.commit);
  if (withheld) next.withheld = withheld;
  return next;
}

/** Ids of charges to the deletion budget whose removal is carried out. */
function settledCharges(plan: Plan, outcomes: readonly ChangeOutcome[]): ReadonlySet<string> {
  const carriedOut = new Set(
    outcomes
      .filter(({ error }) => !error)
      .flatMap(({ change }) => ("former" in change && change.former ? [change.ref, change.former.ref] : [change.ref]))
      // A Secret, token or group may have the name of a cluster.
      .filter(({ type }) => type === resourceTypes.cluster)
      .map(({ namespace, name }) => `${namespace}/${name}`),
  );
  return new Set(
    plan.account.charges.flatMap(({ id }, index) => (carriedOut.has(plan.removals[index]?.cluster ?? "") ? [id] : [])),
  );
}

function problemsRecord({ problems }: Plan): NonNullable<RepositoryStatus["problems"]> {
  return {
    errors: problems.filter(({ severity }) => severity === "error").length,
    warnings: problems.filter(({ severity }) => severity === "warning").length,
    first: problems.slice(0, 20).map((problem) => ({ ...problem })),
  };
}
