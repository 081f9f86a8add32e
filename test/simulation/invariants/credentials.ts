import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { clusterPrefix } from "../mirror.ts";
import { agentOfRequest } from "./agent-of-request.ts";
import type { Invariant, Scene } from "./invariant.ts";

const lifeAfterMs = 15_000;
/** After a fault: retries may wait so long. */
const settledAfterMs = 30_000;

/** No working credential is accepted 15 s after its cluster was revoked or removed, while the hub's half runs. */
export function credentialsDie({ world, mirror, violate, hubUnseenAtMs }: Scene): Invariant {
  const name = "no valid credential 15 s after its revocation";
  /** Since when each cluster's credential is to be dead. */
  const deadSince = new Map<string, number>();
  const isDead = (cluster: KubeObject | undefined): boolean =>
    cluster === undefined || cluster.metadata.annotations?.["rollcall.dev/revoked"] !== undefined;
  return {
    name,
    onRestore: () => {
      for (const cluster of deadSince.keys())
        if (!isDead(mirror.get(`${clusterPrefix}${cluster}`))) deadSince.delete(cluster);
    },
    onRow: ({ key, after }) => {
      if (!key.startsWith(clusterPrefix)) return;
      const cluster = key.slice(clusterPrefix.length);
      if (!isDead(after)) deadSince.delete(cluster);
      else if (!deadSince.has(cluster)) deadSince.set(cluster, world.scheduler.elapsedMs);
    },
    onCall: ({ request, server, sentAtMs, status }) => {
      if (server !== world.hub || status >= 300) return;
      const cluster = agentOfRequest(request, world);
      if (cluster === undefined) return;
      const since = deadSince.get(cluster);
      // While daemon or hub are away, or a watch is half-open, no credential can be revoked; the time counts anew afterwards.
      if (since === undefined) return;
      const allowedUntilMs = Math.max(since, hubUnseenAtMs() + settledAfterMs) + lifeAfterMs;
      if (sentAtMs <= allowedUntilMs) return;
      const ageSeconds = Math.round((sentAtMs - since) / 1000);
      violate(
        name,
        `${request.method} ${request.path} is served by the credential of ${cluster}, ${ageSeconds} s after its end`,
      );
    },
  };
}
