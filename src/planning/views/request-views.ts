import { compact } from "../../core/compact.ts";
import { textAt } from "../../core/read-json.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { RequestView } from "../../model/generated/page-api.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

const mostRequests = 3;

/**
 * Agents that asked to be this cluster, by its name or its clientID, and were not admitted: the last three, newest
 * first, since the cluster's own agent was admitted. `registrations`: the ClusterRegistrations of its workspace. Only
 * the hub's decisions are shown, never the agent's texts.
 */
export function requestViews(cluster: Cluster, registrations: readonly KubeObject[]): RequestView[] {
  const { name, namespace } = cluster.metadata;
  const clientID = cluster.spec?.clientID ?? cluster.status?.effective?.clientID;
  const joined = cluster.status?.join?.time;
  return registrations
    .filter(({ metadata }) => metadata.namespace === namespace)
    .filter((registration) => {
      const names = [textAt(registration, "status", "clusterName"), textAt(registration, "spec", "clusterName")];
      return names.includes(name) || (clientID !== undefined && textAt(registration, "spec", "clientID") === clientID);
    })
    .flatMap((registration): RequestView[] => {
      const decision = textAt(registration, "status", "decision");
      if (decision !== "Refused" && decision !== "Proposed") return [];
      const time = textAt(registration, "status", "decidedTime");
      if (joined !== undefined && time !== undefined && Date.parse(time) < Date.parse(joined)) return [];
      const reason = textAt(registration, "status", "reason") ?? "";
      const message = textAt(registration, "status", "message") ?? "";
      return [compact({ name: registration.metadata.name, decision, reason, message, time })];
    })
    .sort((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : (a.time ?? "") > (b.time ?? "") ? -1 : 0))
    .slice(0, mostRequests);
}
