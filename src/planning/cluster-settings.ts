import { longestDurationMs } from "../core/duration.ts";
import { parseGoDuration } from "../core/formats/go-duration.ts";
import { clusternetHeartbeatSeconds } from "../model/dialects/clusternet.ts";
import { fleetHeartbeatSeconds } from "../model/dialects/fleet.ts";
import { kubefleetHeartbeat } from "../model/dialects/kubefleet.ts";
import type { Cluster } from "../model/generated/cluster.ts";

/**
 * Period and threshold: those that the file declares, otherwise those that the agent reports, otherwise the defaults. A
 * manually installed agent of another project sends heartbeats at that project's pace. KubeFleet's agents take no longer
 * period than its API has, which defaults for many clusters may exceed.
 */
export function heartbeatOf(
  cluster: Cluster,
  agentPeriodSeconds?: number,
): { readonly periodSeconds: number; readonly failureThreshold: number } {
  const { protocol, heartbeat } = cluster.spec ?? {};
  const periodSeconds = heartbeat?.periodSeconds ?? agentPeriodSeconds ?? usualPeriodSeconds(cluster);
  return {
    periodSeconds: protocol === "kubefleet" ? Math.min(periodSeconds, kubefleetHeartbeat.maxSeconds) : periodSeconds,
    failureThreshold: heartbeat?.failureThreshold ?? 3,
  };
}

function usualPeriodSeconds(cluster: Cluster): number {
  if (joinModeOf(cluster) === "HubInitiated") return 60;
  switch (cluster.spec?.protocol) {
    case "fleet":
      return fleetHeartbeatSeconds;
    case "clusternet":
      return clusternetHeartbeatSeconds;
    default:
      return 60;
  }
}

/** HubInitiated when the Cluster names a kubeconfig. */
export function joinModeOf(cluster: Cluster): "HubInitiated" | "AgentInitiated" {
  return cluster.spec?.kubeConfigSecretRef ? "HubInitiated" : "AgentInitiated";
}

/** The deletion policy in force: unset means Uninstall for an agent that the hub installed, otherwise Detach. */
export function deletionPolicyOf(cluster: Cluster): "Uninstall" | "Detach" {
  return cluster.spec?.deletionPolicy ?? (joinModeOf(cluster) === "HubInitiated" ? "Uninstall" : "Detach");
}

/** Whether what was placed on a cluster is removed from it when it leaves. */
export function isPlacedRemoved({ spec }: Cluster): boolean {
  return spec?.placedResources === "Remove";
}

/**
 * When (epoch ms) the first step of a leave may be taken: its grace period is over. NaN for a time that is none. A period that
 * is no duration is the longest one: nothing is removed by a slip.
 */
export function graceEndMs(cluster: Cluster, offboardingSince: string): number {
  return (
    Date.parse(offboardingSince) + (parseGoDuration(cluster.spec?.deletionGracePeriod ?? "0s") ?? longestDurationMs)
  );
}

/** The grace period of a leave, as the file has it; undefined: there is none. */
export function gracePeriodOf({ spec }: Pick<Cluster, "spec">): string | undefined {
  const period = spec?.deletionGracePeriod ?? "0s";
  return parseGoDuration(period) === 0 ? undefined : period;
}
