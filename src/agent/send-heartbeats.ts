import { backoffMs } from "../core/backoff.ts";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { rollcallAnnotations, workingName } from "../model/dialects/rollcall.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { toMicroTime } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { AgentContext } from "./agent-context.ts";
import { membershipOf } from "./membership-of.ts";
import { sleptUntilRecovery } from "./retry.ts";

/**
 * Renews the cluster's Lease each period, and at once when the hub is back: a restored hub has no heartbeat. The answer
 * has the period, so a change in git needs no restart. After an outage the next heartbeat is at most one period away:
 * the hub evaluates after three.
 */
export async function sendHeartbeats(context: AgentContext, signal: AbortSignal): Promise<void> {
  const { random, log } = context;
  let periodMs = usableMs(membershipOf(context).heartbeatPeriodSeconds) ?? 60_000;
  const series = heartbeatSeries(context.clock);
  for (let failures = 0; !signal.aborted;) {
    let waitMs: number;
    try {
      const heldMs = series.heldMs(periodMs);
      periodMs = periodOf(await heartbeat(context, heldMs, signal)) ?? periodMs;
      series.recordHeartbeat();
      if (failures > 0) log.info("the hub takes heartbeats again", { after: failures });
      failures = 0;
      waitMs = periodMs * (0.9 + random.next() * 0.2);
    } catch (error) {
      if (signal.aborted) return;
      waitMs = backoffMs(failures, random, { initialMs: 1000, maximumMs: Math.min(300_000, Math.max(periodMs, 5000)) });
      if (failures === 0) log.warn("a heartbeat failed", { error: describeError(error), waitMs });
      failures++;
    }
    if (!(await sleptUntilRecovery(context, waitMs, signal))) return;
  }
}

/** Renews the Lease. `acquireTime` is the start of the series of heartbeats, as for each Lease whose holder never lost it. */
async function heartbeat(context: AgentContext, heldMs: number, signal: AbortSignal): Promise<KubeObject> {
  const { link, clock, secrets, settings } = context;
  const name = workingName(membershipOf(context).clusterName);
  const ref = { type: resourceTypes.lease, namespace: secrets.identity?.workspace ?? "", name };
  const nowMs = clock.nowMs();
  const times = { acquireTime: toMicroTime(nowMs - heldMs), renewTime: toMicroTime(nowMs) };
  const patch = { spec: { holderIdentity: settings.podName, ...times } };
  return link.call((api) => api.mergePatch(ref, patch, { fieldManager: fieldManagers.agent, signal }), { signal });
}

function periodOf(lease: KubeObject): number | undefined {
  return usableMs(Number(lease.metadata.annotations?.[rollcallAnnotations.heartbeatPeriod]));
}

function usableMs(periodSeconds: number): number | undefined {
  return periodSeconds >= 1 && periodSeconds <= 3600 ? periodSeconds * 1000 : undefined;
}

/** Heartbeats that follow each other without an interruption of more than one and a half periods. */
export interface HeartbeatSeries {
  /** For how long the series has lasted, if a heartbeat is sent now; 0 when one begins. */
  heldMs(periodMs: number): number;
  /** A heartbeat was accepted. */
  recordHeartbeat(): void;
}

/**
 * Measures for how long the hub was reachable. The hub uses it as evidence of its own outages (docs/decisions/0035), so
 * a suspended process and a changed clock must not extend it.
 */
export function heartbeatSeries(clock: Pick<Clock, "monotonicMs" | "nowMs">): HeartbeatSeries {
  let startedMs: number | undefined;
  let lastMs = 0;
  let lastWallMs = 0;
  return {
    heldMs: (periodMs) => {
      const nowMs = clock.monotonicMs();
      // The monotonic clock may stop while the machine is suspended.
      const silentMs = Math.max(nowMs - lastMs, clock.nowMs() - lastWallMs);
      if (silentMs > periodMs * 1.5) startedMs = undefined;
      return startedMs === undefined ? 0 : nowMs - startedMs;
    },
    recordHeartbeat: () => {
      lastMs = clock.monotonicMs();
      lastWallMs = clock.nowMs();
      startedMs ??= lastMs;
    },
  };
}
