import type { Log } from "../core/log.ts";
import type { RunReport } from "../reconcile/reconciler-options.ts";

/**
 * Logs the runs of each repository: the first one and every one that saw or did something new as `info`, the others as `debug`.
 * Why a run failed is logged where it is tried again. `further` names a repository that is not the one of the settings.
 */
export function logRuns(log: Log): (report: RunReport, further?: string) => void {
  const lastOf = new Map<string | undefined, RunReport>();
  return (report, further) => {
    const level = isNews(report, lastOf.get(further)) ? "info" : "debug";
    lastOf.set(further, report);
    const repositoryLog = further === undefined ? log : log.with({ repository: further });
    repositoryLog[level]("run finished", fieldsOf(report));
  };
}

function isNews(report: RunReport, last: RunReport | undefined): boolean {
  const { statusCommit, statusCommitBefore } = report;
  return (
    report.commit !== last?.commit ||
    report.isApplied !== last?.isApplied ||
    report.changeCount > 0 ||
    // Undefined: nothing was written back.
    (statusCommit !== undefined && statusCommit !== statusCommitBefore)
  );
}

/** Times in whole milliseconds. */
function fieldsOf({ failure, durationMs, phasesMs, ...counts }: RunReport) {
  const phases = Object.entries(phasesMs).map(([phase, ms]) => [phase, Math.round(ms)] as const);
  return {
    ...counts,
    durationMs: Math.round(durationMs),
    phasesMs: Object.fromEntries(phases),
    hasFailed: failure !== undefined,
  };
}
