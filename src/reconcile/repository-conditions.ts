import type { AppError } from "../core/errors.ts";
import { describeError, isAppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { Repository } from "../model/generated/repository.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { Plan, PlannedChange } from "../model/plan.ts";
import type { ConditionResult } from "../planning/conditions.ts";
import { findCondition } from "../planning/conditions.ts";
import { describeFight } from "../planning/field-fights.ts";
import type { RunResult } from "./run-result.ts";
import { describeWithheld, withheldObjects } from "./withheld-removals.ts";

const writeBackType = "WriteBackReady";
const branchOfOtherHub = "BranchOfOtherHub";

/** The conditions of a Repository after a run. `failed` are the changes that could not be written. */
export function repositoryConditions(
  repository: Repository,
  result: RunResult,
  failed: readonly ChangeOutcome[],
): ConditionResult[] {
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
  if (isAppError(writeBackError, "E_OWNED_ELSEWHERE", "E_PROPOSAL_UNREAD")) {
    const isUnread = writeBackError.code === "E_PROPOSAL_UNREAD";
    const reason = isUnread ? "ProposalUnread" : branchOfOtherHub;
    return { type, status: "False", reason, message: `${describeError(writeBackError)}. ${writeBackError.remedy}` };
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

function evaluateReady(parts: readonly ConditionResult[]): ConditionResult {
  const missing = parts.find(({ status }) => status !== "True");
  if (missing) return { type: "Ready", status: "False", reason: missing.reason, message: missing.message };
  return { type: "Ready", status: "True", reason: "Ready", message: "The head of the branch is on the hub." };
}
