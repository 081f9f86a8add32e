import { backoffMs } from "../core/backoff.ts";
import { describeError, isAppError } from "../core/errors.ts";
import { numberAt, objectAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import type { NodeSummary } from "../join/rollcall/downstream/cluster-facts.ts";
import { nodeFacts, reportPatch, summarizeFacts, summarizeNodes } from "../join/rollcall/downstream/cluster-facts.ts";
import { manifestDigestOf } from "../join/rollcall/downstream/own-manifest.ts";
import { protocolVersion } from "../join/rollcall/messages.ts";
import { agentNames } from "../model/dialects/rollcall.ts";
import type { ClusterReportSpec } from "../model/generated/cluster-report.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { AgentContext } from "./agent-context.ts";
import { isOther } from "./agent-state.ts";
import { sleptFor, sleptUntilRecovery } from "./retry.ts";
import { reportTime, writeReport } from "./write-report.ts";
import { membershipOf, reportRefOf } from "./membership-of.ts";

const defaultFactsPeriodMs = 30_000;
const defaultLongestSilenceMs = 30 * 60_000;
/** After a list, for each node in it: 500 are listed every 30 s, 5,000 every five minutes. */
const pauseOfNodeMs = 60;

/**
 * Reads the cluster periodically and writes what is new into the report; nothing is written as long as nothing
 * changed, except for one sign of life in half an hour, which shows the skew of the clocks.
 */
export async function keepReporting(context: AgentContext, signal: AbortSignal): Promise<void> {
  const { clock, random, log, settings, state } = context;
  const { factsPeriodMs = defaultFactsPeriodMs, longestSilenceMs = defaultLongestSilenceMs } = settings;
  let sent: ClusterReportSpec | undefined;
  let sentAtMs = -Infinity;
  let compared: ClusterReportSpec | undefined;
  for (let failures = 0; !signal.aborted;) {
    let waitMs: number;
    const due = new AbortController();
    state.reportNow = () => due.abort();
    try {
      const now = await readReport(context, signal);
      // What differs there may be older than the last write, or all that a restored hub still has: a read decides.
      const { shown } = state;
      const isLess = shown !== compared && shown && sent && reportPatch(shown, sent) !== undefined;
      compared = shown;
      if (isLess || isOther(state.sentUid, state.reportUid)) sent = undefined;
      if (sent === undefined) {
        sent = state.isFirstJoin ? {} : await readSent(context, signal);
        sentAtMs = clock.monotonicMs() - reportAgeMs(sent, clock.nowMs());
      }
      const isOverdue = clock.monotonicMs() - sentAtMs >= longestSilenceMs;
      const patch = reportPatch(sent, now) ?? (isOverdue ? { time: now.time } : undefined);
      if (patch !== undefined) {
        const { uid } = (await writeReport(context, patch, { signal })).metadata;
        state.isFirstJoin = false;
        log.debug("reported", { fields: Object.keys(patch) });
        // Written into another object than was read: unchanged fields are missing there.
        sent = isOther(state.sentUid, uid) ? undefined : now;
        state.sentUid = uid;
        sentAtMs = clock.monotonicMs();
      }
      state.hasReported = true;
      failures = 0;
      waitMs = sent === undefined ? 0 : factsPeriodMs * (0.9 + random.next() * 0.2);
    } catch (error) {
      if (signal.aborted) return;
      waitMs = backoffMs(failures, random, { initialMs: 1000 });
      if (failures === 0) log.warn("reporting failed", { error: describeError(error), waitMs });
      failures++;
    }
    const interrupted = AbortSignal.any([signal, due.signal]);
    await (failures === 0 ? sleptFor(clock, waitMs, interrupted) : sleptUntilRecovery(context, waitMs, interrupted));
  }
}

/** The whole report that this agent would write now. */
export async function readReport(context: AgentContext, signal: AbortSignal): Promise<ClusterReportSpec> {
  const { secrets, settings, clock } = context;
  const identity = secrets.identity;
  const [facts, digest] = await Promise.all([readFacts(context, signal), readManifestDigest(context, signal)]);
  return {
    protocolVersion,
    agentVersion: settings.version,
    agentNamespace: settings.namespace,
    time: reportTime(clock),
    epoch: identity?.epoch ?? 0,
    credentialNumber: membershipOf(context).credential.number,
    ...facts,
    ...(digest === undefined ? {} : { appliedManifestDigest: digest }),
    ...(identity?.refused === undefined
      ? {}
      : { refusedManifestDigest: identity.refused.digest, refusedVersion: identity.refused.version }),
  };
}

async function readFacts(context: AgentContext, signal: AbortSignal): Promise<ClusterReportSpec> {
  const { downstreamApi } = context;
  try {
    const ask = (path: string) => downstreamApi.getRaw(path, { signal });
    const [version, readyz, nodes] = await Promise.all([ask("/version"), ask("/readyz"), readNodes(context, signal)]);
    const isReady = readyz.status === 200;
    return summarizeFacts({
      version: version.status === 200 ? parseJson(version.text) : undefined,
      // One that is ready has passed all checks of /livez, too.
      isLive: isReady || (await ask("/livez")).status === 200,
      isReady,
      nodes,
    });
  } catch (error) {
    // An API server that does not answer its agent is unhealthy, which is reported; the previous report stays.
    throwUnlessSilent(error);
    return { health: { livez: false, readyz: false } };
  }
}

/** A list of many nodes is heavy for their API server, and of so many some change all the time. */
async function readNodes({ downstreamApi, state, clock }: AgentContext, signal: AbortSignal): Promise<NodeSummary> {
  if (state.nodes !== undefined && clock.monotonicMs() < state.nodes.untilMs) return state.nodes.summary;
  const { items } = await downstreamApi.list(resourceTypes.node, { hold: nodeFacts, signal });
  const summary = summarizeNodes(items);
  state.nodes = { summary, untilMs: clock.monotonicMs() + items.length * pauseOfNodeMs };
  return summary;
}

/** Which manifest the own Deployment is from; undefined also where there is no Deployment (an agent started manually). */
async function readManifestDigest({ downstreamApi, settings }: AgentContext, signal: AbortSignal) {
  const ref = { type: resourceTypes.deployment, namespace: settings.namespace, name: agentNames.agent };
  try {
    return manifestDigestOf(await downstreamApi.get(ref, { signal }));
  } catch (error) {
    throwUnlessSilent(error);
    // Already reported; the health shows that nothing can be read now.
    return undefined;
  }
}

function throwUnlessSilent(error: unknown): void {
  if (!isAppError(error, "E_KUBE_UNREACHABLE", "E_KUBE_SERVER", "E_KUBE_TLS")) throw error;
}

/** The current content of the report: after a restart no unchanged field is written again. */
async function readSent(context: AgentContext, signal: AbortSignal): Promise<ClusterReportSpec> {
  const ref = reportRefOf(context);
  const report = await context.link.call((api) => api.get(ref, { signal }), { signal });
  context.state.sentUid = report?.metadata.uid;
  // A request of an earlier process stays there until its answer came.
  context.state.unanswered = numberAt(report, "spec", "renewal", "credential") ?? context.state.unanswered;
  return { ...objectAt(report, "spec") };
}

/** How old the report is, by the clock that wrote it; never less than nothing. */
function reportAgeMs({ time }: ClusterReportSpec, nowMs: number): number {
  const writtenMs = Date.parse(time ?? "");
  return Number.isNaN(writtenMs) ? Infinity : Math.max(0, nowMs - writtenMs);
}
