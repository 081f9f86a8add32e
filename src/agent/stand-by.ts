import { backoffMs } from "../core/backoff.ts";
import { describeError } from "../core/errors.ts";
import type { AgentContext } from "./agent-context.ts";
import { readReport } from "./keep-reporting.ts";
import { sleptFor } from "./retry.ts";
import { writeReport } from "./write-report.ts";

/**
 * The work of a replica that is not the leader: it proves that it could lead. It renders its report and has the hub
 * check it by a dry run. That makes it ready, so that an update removes the previous replica.
 */
export async function standBy(context: AgentContext): Promise<void> {
  const { clock, random, log, signal, secrets, state } = context;
  for (let attempt = 0; !state.hasReported; attempt++) {
    if (!(await sleptFor(clock, backoffMs(attempt, random, { initialMs: 1000, maximumMs: 30_000 }), signal))) return;
    if (state.hasReported) return;
    try {
      // Each time: the leader renews its credential, and may become another cluster.
      const identity = await secrets.readIdentity(signal);
      if (identity?.membership === undefined) continue; // the leader has not joined yet
      await writeReport(context, { ...(await readReport(context, signal)) }, { isDryRun: true, signal });
      state.hasReported = true;
      log.info("ready to lead");
    } catch (error) {
      if (signal.aborted) return;
      log.debug("not ready to lead yet", { error: describeError(error) });
    }
  }
}
