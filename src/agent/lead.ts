import { describeError } from "../core/errors.ts";
import { withNewerKey } from "../join/rollcall/downstream/agent-identity.ts";
import type { AgentContext } from "./agent-context.ts";
import { createCredentials } from "./credentials.ts";
import { followReport } from "./follow-report.ts";
import { joinHub } from "./join-hub.ts";
import { sendHeartbeats } from "./send-heartbeats.ts";
import { keepReporting } from "./keep-reporting.ts";
import { sleptFor, untilDone } from "./retry.ts";

/** Longer than any Pod takes to end. */
const leftWaitMs = 24 * 3600_000;

type Outcome = "aborted" | "rejoin" | "left" | "moved";

/** The work of the replica that leads: to join where it has not, then to be a member. Returns when the signal is aborted. */
export async function lead(context: AgentContext, signal: AbortSignal): Promise<void> {
  const { secrets, log, clock } = context;
  try {
    await untilDone(() => secrets.readIdentity(signal), { ...context, signal, failure: "reading the identity failed" });
    while (!signal.aborted) {
      if (secrets.identity?.membership === undefined) await joinHub(context, signal);
      else
        await untilDone(() => forgetLeftovers(context, signal), {
          ...context,
          signal,
          failure: "reading the values failed",
        });
      const outcome = await serve(context, signal);
      if (outcome === "left") {
        // Nothing is to be done any more; the end of the Pod is the end of this process.
        await sleptFor(clock, leftWaitMs, signal);
        return;
      }
      if (outcome === "rejoin") {
        log.warn("joining again with the values that were given");
        await joinHub(context, signal);
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    log.error("leading ended", { error: describeError(error) });
    throw error;
  }
}

/** Everything that a member does, until it ends. */
async function serve(context: AgentContext, signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = "aborted";
  const ended = new AbortController();
  const end = (because: Outcome) => {
    outcome = because;
    ended.abort();
  };
  const onAbort = () => {
    // A started removal is finished: a partly removed agent is useless.
    if (!context.state.isLeaving) ended.abort();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const credentials = createCredentials(context, {
    signal: ended.signal,
    onDead: () => end("rejoin"),
    onMoved: () => end("moved"),
  });
  try {
    await Promise.all([
      sendHeartbeats(context, ended.signal),
      keepReporting(context, ended.signal),
      followReport(context, { signal: ended.signal, onLeft: () => end("left"), onMoved: () => end("moved") }),
      credentials.keepRenewing(ended.signal),
    ]);
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    ended.abort();
    credentials.stop();
    signal.removeEventListener("abort", onAbort);
  }
  return outcome;
}

/** Values that an update of the installation brought back: a member needs none, and forgets them. */
async function forgetLeftovers(context: AgentContext, signal: AbortSignal): Promise<void> {
  const { secrets, log } = context;
  const finding = await secrets.readValues(signal);
  if (finding.kind !== "values") return;
  const { hub, workspace } = finding.values;
  if (hub.id !== secrets.identity?.hubId || workspace !== secrets.identity.workspace) {
    log.warn("the values name another hub or workspace: joining there", { workspace });
    await joinHub(context, signal);
    return;
  }
  const newer = withNewerKey(secrets.identity, finding.values);
  if (newer !== undefined) {
    // The values are kept until the next start: the hub may not know this agent's credentials any more.
    await secrets.changeIdentity((held) => (held && withNewerKey(held, finding.values)) ?? held ?? newer, signal);
    log.warn("the values name a newer trust key of the hub: it is trusted now", { trustKey: newer.trustKey?.digest });
    return;
  }
  await secrets.forgetValues(signal);
}
