import { backoffMs } from "../core/backoff.ts";
import { describeError } from "../core/errors.ts";
import { rollcallAnnotations, workingName } from "../model/dialects/rollcall.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { AgentContext } from "./agent-context.ts";
import { sleptUntilRecovery } from "./slept-until-recovery.ts";
import { membershipOf } from "./membership-of.ts";

/**
 * Renews the cluster's Lease each period, and at once when the hub is back: one that was lost knows of no beat. The answer
 * says how long the period is, so a change in git needs no restart. After an outage the next beat is at most one period
 * away: the hub judges after three.
 */
export async function keepBeating(context: AgentContext, signal: AbortSignal): Promise<void> {
  const { random, log } = context;
  let periodMs = membershipOf(context).heartbeatPeriodSeconds * 1000;
  for (let failures = 0; !signal.aborted;) {
    let waitMs: number;
    try {
      periodMs = periodOf(await beat(context, signal)) ?? periodMs;
      if (failures > 0) log.info("the hub takes beats again", { after: failures });
      failures = 0;
      waitMs = periodMs * (0.9 + random.next() * 0.2);
    } catch (error) {
      if (signal.aborted) return;
      waitMs = backoffMs(failures, random, { initialMs: 1000, maximumMs: Math.min(300_000, Math.max(periodMs, 5000)) });
      if (failures === 0) log.warn("a beat failed", { error: describeError(error), waitMs });
      failures++;
    }
    if (!(await sleptUntilRecovery(context, waitMs, signal))) return;
  }
}

async function beat(context: AgentContext, signal: AbortSignal): Promise<KubeObject> {
  const { link, clock, secrets, settings } = context;
  const name = workingName(membershipOf(context).clusterName);
  const ref = { type: resourceTypes.lease, namespace: secrets.identity?.workspace ?? "", name };
  // Source: Kubernetes API, meta/v1 MicroTime.
  const renewTime = new Date(clock.nowMs()).toISOString().replace("Z", "000Z");
  const patch = { spec: { holderIdentity: settings.podName, renewTime } };
  return link.call((api) => api.mergePatch(ref, patch, { fieldManager: fieldManagers.agent, signal }), { signal });
}

function periodOf(lease: KubeObject): number | undefined {
  const seconds = Number(lease.metadata.annotations?.[rollcallAnnotations.heartbeatPeriod]);
  return Number.isFinite(seconds) && seconds >= 1 && seconds <= 3600 ? seconds * 1000 : undefined;
}
