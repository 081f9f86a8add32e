import { oneOrMany } from "../../core/count-of.ts";
import { AppError } from "../../core/errors.ts";
import { startTimer } from "../../core/timer.ts";
import type { Daemon } from "../../daemon/wire-run.ts";
import type { RunReport } from "../../reconcile/reconciler-options.ts";
import { whenAborted } from "../../system/when-aborted.ts";

/** Resolves with the first report that is recorded. */
export function firstReport(): { report: Promise<RunReport>; record: (report: RunReport) => void } {
  let resolveFirst: ((report: RunReport) => void) | undefined;
  const report = new Promise<RunReport>((resolve) => {
    resolveFirst = resolve;
  });
  return { report, record: (first) => resolveFirst?.(first) };
}

/** The Lease of a process that was killed ends within 12 s: who holds one for longer lives. */
const leadWithinMs = 15_000;

/**
 * `--once`: waits for the first run.
 * @returns the exit code of the command
 * @throws E_OTHER_DAEMON where another process leads; what the run failed with
 */
export async function finishOnce(
  reported: Promise<RunReport>,
  daemon: Pick<Daemon, "whenIdle" | "whenLeading" | "leads">,
  signal: AbortSignal,
): Promise<number> {
  const over = new AbortController();
  const aborted = whenAborted(signal, over.signal);
  try {
    await new Promise<void>((resolve) => {
      const cancel = startTimer(leadWithinMs, resolve);
      void Promise.race([daemon.whenLeading(), aborted]).then(() => (cancel(), resolve()));
    });
    if (signal.aborted) return 130;
    const missing = [...daemon.leads()].filter(([, isHeld]) => !isHeld).map(([lease]) => lease);
    if (missing.length > 0) {
      const leases = `${oneOrMany(missing.length, "Lease", "Leases")} ${missing.join(" and ")}`;
      throw new AppError("E_OTHER_DAEMON", `apply the head once: another process holds the ${leases}`);
    }
    const report = await Promise.race([reported, aborted.then(() => undefined)]);
    if (!report) return 130;
    await daemon.whenIdle();
    if (report.failure instanceof AppError) throw report.failure;
    return report.errorCount > 0 || report.withheldCount > 0 || report.failure !== undefined ? 1 : 0;
  } finally {
    over.abort();
  }
}
