import { compact } from "../core/compact.ts";
import { compareNames } from "../core/compare-names.ts";
import { sha256Hex } from "../core/digest.ts";
import { countOf, oneOrMany } from "../core/count-of.ts";
import type { AppError } from "../core/errors.ts";
import { describeError, isAppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { ServedProtocol } from "../model/generated/served-protocol.ts";
import type { Repository, RepositoryCounts, RepositoryStatus } from "../model/generated/repository.ts";
import type { SourcePlace } from "../model/generated/source-place.ts";
import type { WaitingFile } from "../model/generated/waiting-file.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { Plan, PlannedChange } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ConditionResult } from "../planning/conditions.ts";
import { findCondition, toConditions } from "../planning/conditions.ts";
import type { FieldFight } from "../planning/field-fights.ts";
import { describeFight } from "../planning/field-fights.ts";
import { endApprovals, mergeApprovals } from "../planning/approvals.ts";
import { explainApproval, explainHold } from "../planning/plan-words.ts";
import { outcomeOf, recordOutcome, settleRemovals, sourcePlaceOf } from "../planning/repository-state.ts";

const writeBackType = "WriteBackReady";
const branchOfOtherHub = "BranchOfOtherHub";

export interface RunResult {
  readonly plan?: Plan;
  /** Where the planned commit was read from. Default: the place that the Repository declares. */
  readonly readFrom?: SourcePlace;
  /** Who wrote the planned commit. */
  readonly author?: string;
  readonly outcomes: readonly ChangeOutcome[];
  /** Changes that wait because a person edited their objects meanwhile. The next run plans them anew. Default none. */
  readonly waiting?: readonly PlannedChange[];
  /** Fields that other writers keep changing back, the longest fight first. Default none. */
  readonly fights?: readonly FieldFight[];
  /** Why the source could not be read; the last good commit stays in force. */
  readonly sourceError?: unknown;
  /** Why the head is not applied although it was read; what was verified stays in force. */
  readonly unverified?: AppError | undefined;
  /** The commit that listed keys vouch for, when this run asked. */
  readonly verifiedCommit?: string;
  readonly writeBackError?: unknown;
  /** Why older commits of the status branch stay although it is time to squash them. */
  readonly historyKept?: string | undefined;
  readonly statusCommit?: string;
  readonly counts?: RepositoryCounts;
  /** The address that was read. Default: that of the Repository. */
  readonly openedUrl?: string | undefined;
  readonly handledRequest?: string;
  /** What the daemon's own limit of workspaces is; absent where it has none. */
  readonly workspaceLimit?: readonly string[] | undefined;
  /** Foreign join protocols that the daemon serves. */
  readonly serves?: readonly ServedProtocol[] | undefined;
}

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
    conditions: toConditions(evaluate(repository, result, failed), before.conditions, {
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

/** Undefined when nothing of the plan is withheld. */
function withheldRecord(plan: Plan, commit: string): RepositoryStatus["withheld"] {
  const objects = withheldObjects(plan);
  if (objects.length === 0) return undefined;
  return {
    count: objects.length,
    allowed: Math.max(0, plan.budget.limit - plan.budget.recent),
    ...approvableOf(plan),
    commit,
    reason: plan.withheld[0]?.because ?? plan.heldDeletes[0]?.because ?? "",
    objects: objects.slice(0, 20),
  };
}

/** Reasons that hold one object back, and nothing else of the range. */
const ownReasons: ReadonlySet<string> = new Set(["held-by-bad-file", "protected", "suspended"]);

function isRangeWithheld({ withheld, heldDeletes }: Plan): boolean {
  return [...withheld, ...heldDeletes].some(({ because }) => !ownReasons.has(because));
}

/** The count that `approve-deletions` must name. */
function approvableOf({ budget: { approvable, needsDocument } }: Plan): { readonly approvable?: number } {
  return approvable === undefined || needsDocument === true ? {} : { approvable };
}

/** Waiting files that are named. */
const mostNamed = 20;
/** Waiting files behind those whose commit is remembered. */
const mostOthers = 1000;

function waitingDigest(reason: string, file: string): string {
  return sha256Hex(`${reason} ${file}`).slice(0, 8);
}

/**
 * Since which commit a file waits for a reason. `now`: it did not wait before. Undefined: more files waited than are recorded,
 * and this one may be one of them.
 */
function sinceReader(
  before: RepositoryStatus["waiting"],
  now: string,
): (reason: string, file: string) => string | undefined {
  const { count = 0, first = [], others = [] } = before ?? {};
  const named = new Map(first.map(({ reason, file, since }) => [`${reason} ${file}`, since]));
  const digests = new Map(others.flatMap((group) => group.digests.map((digest) => [digest, group.since])));
  const isAllRecorded = count <= named.size + digests.size;
  return (reason, file) => {
    const key = `${reason} ${file}`;
    if (named.has(key)) return named.get(key);
    return digests.get(waitingDigest(reason, file)) ?? (isAllRecorded ? now : undefined);
  };
}

/** File by file, what of the commit waits, and since when. */
function waitingFiles(
  plan: Plan,
  failed: readonly ChangeOutcome[],
  before: RepositoryStatus["waiting"],
): RepositoryStatus["waiting"] {
  const reasons = new Map<string, WaitingFile["reason"]>();
  for (const { change } of failed) {
    const file = "source" in change ? change.source?.file : undefined;
    if (file !== undefined) reasons.set(file, "WriteFailed");
  }
  for (const { file } of [...plan.withheld, ...plan.heldDeletes]) if (file !== undefined) reasons.set(file, "Withheld");
  for (const { file, severity } of plan.problems) if (severity === "error") reasons.set(file, "Errors");
  if (reasons.size === 0) return undefined;
  const sinceOf = sinceReader(before, plan.commit ?? "");
  const all = [...reasons]
    .sort(([a], [b]) => compareNames(a, b))
    .map(([file, reason]): WaitingFile => compact({ file, reason, since: sinceOf(reason, file) }));
  const groups = new Map<string, string[]>();
  for (const { file, reason, since } of all.slice(mostNamed, mostNamed + mostOthers))
    if (since !== undefined) groups.set(since, [...(groups.get(since) ?? []), waitingDigest(reason, file)]);
  return {
    count: all.length,
    first: all.slice(0, mostNamed),
    ...(groups.size === 0 ? {} : { others: [...groups].map(([since, digests]) => ({ since, digests })) }),
  };
}

function evaluate(repository: Repository, result: RunResult, failed: readonly ChangeOutcome[]): ConditionResult[] {
  const { plan, sourceError } = result;
  const source: ConditionResult = sourceError
    ? { type: "SourceReady", status: "False", reason: "SourceFailed", message: describeError(sourceError) }
    : { type: "SourceReady", status: "True", reason: "SourceRead", message: "The branch was read." };
  const writeBack = evaluateWriteBack(result);
  const [fight] = result.fights ?? [];
  const fighting = fight && { status: "False" as const, reason: "FieldFight", message: describeFight(fight) };
  const isApplied = plan?.commit !== undefined && plan.commit === repository.status?.appliedCommit;
  const found = evaluateApplied(plan, failed, isApplied ? [] : (result.waiting ?? []));
  const applied = fighting && found.status === "True" ? { ...found, ...fighting } : found;
  const verified = repository.spec.verify === undefined ? [] : [evaluateVerified(result.unverified)];
  const results = [evaluateReady([source, ...verified, applied]), source, ...verified, applied, writeBack];
  if (plan && withheldObjects(plan).length > 0) {
    results.push({ type: "Stalled", status: "True", reason: "RemovalsWithheld", message: describeWithheld(plan) });
  } else if (fighting) {
    results.push({ ...fighting, type: "Stalled", status: "True" });
  }
  return results;
}

/** Whether the last run found that another hub writes the status branch. */
export function isOfOtherHub({ status }: Repository): boolean {
  return findCondition(status?.conditions, writeBackType)?.reason === branchOfOtherHub;
}

function evaluateWriteBack({ writeBackError, historyKept }: RunResult): ConditionResult {
  const type = writeBackType;
  if (isAppError(writeBackError, "E_OWNED_ELSEWHERE")) {
    const message = `${describeError(writeBackError)}. ${writeBackError.remedy}`;
    return { type, status: "False", reason: branchOfOtherHub, message };
  }
  if (writeBackError) return { type, status: "False", reason: "PushFailed", message: describeError(writeBackError) };
  const message = "What is seen is written back";
  if (historyKept === undefined) return { type, status: "True", reason: "Written", message: `${message}.` };
  return { type, status: "True", reason: "HistoryKept", message: `${message}; old commits stay: ${historyKept}.` };
}

function evaluateVerified(unverified: AppError | undefined): ConditionResult {
  const type = "Verified";
  if (unverified) return { type, status: "False", reason: "UnverifiedCommit", message: describeError(unverified) };
  return { type, status: "True", reason: "Verified", message: "Listed keys vouch for what is applied." };
}

function evaluateApplied(
  plan: Plan | undefined,
  failed: readonly ChangeOutcome[],
  waiting: readonly PlannedChange[],
): ConditionResult {
  const type = "Applied";
  if (!plan) return { type, status: "Unknown", reason: "NoCommit", message: "No commit was read yet." };
  const [first] = failed;
  if (first?.error) {
    const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
    return {
      type,
      status: "False",
      reason: "WritesFailed",
      message: `${describeRef(first.change.ref)}: ${describeError(first.error)}${more}`,
    };
  }
  const error = plan.problems.find(({ severity }) => severity === "error");
  if (error) {
    const count = plan.problems.filter(({ severity }) => severity === "error").length;
    const more = count > 1 ? ` (and ${count - 1} more)` : "";
    return {
      type,
      status: "False",
      reason: "ProblemsInFiles",
      message: `${error.file}:${error.line}:${error.column} ${error.code} ${error.message}${more}`,
    };
  }
  if (withheldObjects(plan).length > 0)
    return { type, status: "False", reason: "RemovalsWithheld", message: describeWithheld(plan) };
  const [postponed] = waiting;
  if (postponed) {
    const message = `${describeRef(postponed.ref)} was edited on the hub meanwhile: the next run plans its change again.`;
    return { type, status: "False", reason: "ChangesPostponed", message };
  }
  return {
    type,
    status: "True",
    reason: "Applied",
    message: `Commit ${shortCommit(plan.commit ?? "")} is on the hub.`,
  };
}

/** What waits and what lets it through, for conditions, plans and the status branch alike. */
export function describeWithheld(plan: Plan): string {
  const { budget, withheld, heldDeletes, commit } = plan;
  const advice =
    budget.trailer === undefined
      ? ""
      : ` ${explainApproval({ budget, ...(commit === undefined ? {} : { commit }) })}: ${budget.trailer}`;
  const recent = budget.recent > 0 ? ` and ${budget.recent} of the last 24 hours` : "";
  const otherCount = withheld.length + heldDeletes.length - budget.wanted;
  const others =
    otherCount > 0
      ? ` ${countOf(otherCount, "other")} ${oneOrMany(otherCount, "waits", "wait")} for another reason.`
      : "";
  if (budget.isExceeded)
    return `${countOf(budget.wanted, "removal")}${recent} ${oneOrMany(budget.wanted + budget.recent, "is", "are")} more than the deletion budget of ${budget.limit}: none of them happens.${others}${advice}`;
  const [first] = withheldObjects(plan);
  const because = withheld[0]?.because ?? heldDeletes[0]?.because ?? "";
  return `${countOf(withheld.length + heldDeletes.length, "removal")} withheld, ${explainHold(because)} (${first}).${advice}`;
}

/** What is not removed for now: clusters first, those first that an approval lets through, each by name. */
export function withheldObjects({ withheld, heldDeletes }: Plan): string[] {
  const clusters = [...withheld].sort(
    (a, b) =>
      Number(ownReasons.has(a.because)) - Number(ownReasons.has(b.because)) || compareNames(a.cluster, b.cluster),
  );
  return [...clusters.map(({ cluster }) => `Cluster/${cluster}`), ...heldDeletes.map(({ ref }) => describeRef(ref))];
}

function evaluateReady(parts: readonly ConditionResult[]): ConditionResult {
  const missing = parts.find(({ status }) => status !== "True");
  if (missing) return { type: "Ready", status: "False", reason: missing.reason, message: missing.message };
  return { type: "Ready", status: "True", reason: "Ready", message: "The head of the branch is on the hub." };
}
