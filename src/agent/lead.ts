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

type Outcome = "aborted" | "left" | "moved";

/** The work of the replica that leads: to join where it has not, then to be a member. Returns when the signal is aborted. */
export async function lead(context: AgentContext, signal: AbortSignal): Promise<void> {
  const { secrets, log, clock } = context;
  try {
    await untilDone(() => secrets.readIdentity(signal), { ...context, signal, failure: "reading the identity failed" });
    while (!signal.aborted) {
      let isToJoin = false;
      if (secrets.identity?.membership === undefined) await joinHub(context, signal);
      else
        isToJoin = await untilDone(() => isToJoinElsewhere(context, signal), {
          ...context,
          signal,
          failure: "reading the values failed",
        });
      const outcome = await serve(context, isToJoin, signal);
      if (outcome === "left") {
        // Nothing is to be done any more; the end of the Pod is the end of this process.
        await sleptFor(clock, leftWaitMs, signal);
        return;
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    log.error("leading ended", { error: describeError(error) });
    throw error;
  }
}

/**
 * Everything that a member does, until it ends. It stays a member while it joins by values: those may be refused for good, and
 * an API server that is ill refuses every credential.
 */
async function serve(context: AgentContext, isToJoin: boolean, signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = "aborted";
  const ended = new AbortController();
  const end = (because: Outcome) => {
    if (context.state.isLeaving && because !== "left") return;
    outcome = because;
    ended.abort();
  };
  const onAbort = () => {
    // A started removal is finished: a partly removed agent is useless.
    if (!context.state.isLeaving) ended.abort();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const onJoined = () => end("moved");
  let joining = isToJoin ? joinMeanwhile(context, { signal: ended.signal, onJoined }) : undefined;
  const credentials = createCredentials(context, {
    signal: ended.signal,
    onDead: () => {
      joining ??= joinAgain(context, { signal: ended.signal, onJoined }).finally(() => {
        joining = undefined;
      });
    },
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
    await joining;
    signal.removeEventListener("abort", onAbort);
  }
  return outcome;
}

interface Joining {
  readonly signal: AbortSignal;
  readonly onJoined: () => void;
}

async function joinMeanwhile(context: AgentContext, { signal, onJoined }: Joining): Promise<void> {
  try {
    await joinHub(context, signal);
    onJoined();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Joins by the values that were given, unless the hub accepts the credentials of this member again before. */
async function joinAgain(context: AgentContext, { signal, onJoined }: Joining): Promise<void> {
  context.log.warn("joining again with the values that were given");
  const recovered = new AbortController();
  const stopListening = context.link.onRecovery(() => recovered.abort());
  try {
    await joinMeanwhile(context, { signal: AbortSignal.any([signal, recovered.signal]), onJoined });
  } finally {
    stopListening();
  }
}

/**
 * Values that an update of the installation brought back: a member needs none, and forgets them. True when they name another
 * hub or workspace, where it is to join.
 */
async function isToJoinElsewhere(context: AgentContext, signal: AbortSignal): Promise<boolean> {
  const { secrets, log } = context;
  const finding = await secrets.readValues(signal);
  if (finding.kind !== "values") return false;
  const { hub, workspace } = finding.values;
  if (hub.id !== secrets.identity?.hubId || workspace !== secrets.identity.workspace) {
    log.warn("the values name another hub or workspace: joining there", { workspace });
    return true;
  }
  const newer = withNewerKey(secrets.identity, finding.values);
  if (newer !== undefined) {
    // The values are kept until the next start: the hub may not know this agent's credentials any more.
    await secrets.changeIdentity((held) => (held && withNewerKey(held, finding.values)) ?? held ?? newer, signal);
    log.warn("the values name a newer trust key of the hub: it is trusted now", { trustKey: newer.trustKey?.digest });
    return false;
  }
  await secrets.forgetValues(finding.values, signal);
  return false;
}
