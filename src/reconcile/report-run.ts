import { AppError, describeError } from "../core/errors.ts";
import type { Plan } from "../model/plan.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import { withheldObjects } from "./withheld-removals.ts";
import type { RunScope } from "./run-scope.ts";
import type { ProblemReporter } from "./report-problems.ts";

interface ReportPorts extends Pick<ReconcilerOptions, "readRepository" | "clock" | "onMain" | "onForgeNews" | "onRun"> {
  readonly reportProblems: ProblemReporter;
}

/** Reports the run to the log, to pull requests, to the forge and to listeners. @throws the first failure of a phase */
export function reportRun(scope: RunScope, ports: ReportPorts): void {
  const { written, unverified, snapshot, plan } = scope;
  if (scope.reason === "read" && snapshot && plan) {
    ports.reportProblems(plan.problems, snapshot.commit.id);
    ports.onMain?.({ repository: written, snapshot, problems: plan.problems });
  }
  const commit = unverified?.data["commit"];
  const refused = unverified && typeof commit === "string" ? { commit, message: unverified.message } : undefined;
  ports.onForgeNews?.({
    repository: written,
    unverified: refused,
    proposed: [...scope.proposed, ...scope.hubBranches],
  });
  reportOutcome(scope, ports);
}

function countChanges(plan: Plan | undefined): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const { kind } of plan?.changes ?? []) sizes[kind] = (sizes[kind] ?? 0) + 1;
  return sizes;
}

/** Whether the head that was read is on the hub; a head that was not read, or that is not verified, is not. */
function isHeadApplied(
  { unverified, snapshot }: RunScope,
  { readRepository }: Pick<ReportPorts, "readRepository">,
): boolean {
  if (unverified !== undefined || snapshot === undefined) return false;
  return readRepository()?.status?.appliedCommit === snapshot.commit.id;
}

/** Reports the run to its listeners. @throws the first failure of a phase, so that the queue retries with back-off */
function reportOutcome(scope: RunScope, ports: ReportPorts): void {
  const failed = scope.outcomes.filter(({ error }) => error !== undefined);
  const failure = scope.sourceError ?? failed[0]?.error;
  ports.onRun?.({
    commit: scope.snapshot?.commit.id,
    committedAtMs: scope.snapshot?.commit.committedAtMs,
    appliedBefore: scope.repository.status?.appliedCommit,
    statusCommitBefore: scope.repository.status?.statusCommit,
    planSizes: countChanges(scope.plan),
    failedCount: failed.length,
    durationMs: ports.clock.monotonicMs() - scope.startedAtMs,
    phasesMs: scope.phasesMs,
    isApplied: failure === undefined && isHeadApplied(scope, ports),
    changeCount: scope.outcomes.length - failed.length,
    parsedCount: scope.snapshot?.parsedCount ?? 0,
    visitedCount: scope.visitedCount,
    errorCount: scope.plan?.problems.filter(({ severity }) => severity === "error").length ?? 0,
    withheldCount: scope.plan ? withheldObjects(scope.plan).length : 0,
    statusCommit: scope.statusCommit,
    failure: failure ?? scope.unverified,
  });
  if (failure !== undefined) {
    throw failure instanceof AppError
      ? failure
      : new AppError("E_BUG", `run: ${describeError(failure)}`, { cause: failure });
  }
}
