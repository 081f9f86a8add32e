import { shellWord } from "../../core/shell-word.ts";
import { clusternetAgentNames } from "../../model/dialects/clusternet.ts";
import { fleetAgentNames, fleetSystemNamespace } from "../../model/dialects/fleet.ts";
import { kubefleetAgentNames } from "../../model/dialects/kubefleet.ts";
import { agentNames, defaultAgentNamespace } from "../../model/dialects/rollcall.ts";
import type { Cluster } from "../../model/generated/cluster.ts";

/** Where each protocol's agent runs, unless the cluster declares another place, and its Deployment. */
const usual = {
  rollcall: { namespace: defaultAgentNamespace, agent: agentNames.agent },
  fleet: { namespace: fleetSystemNamespace, agent: fleetAgentNames.agent },
  kubefleet: kubefleetAgentNames,
  clusternet: clusternetAgentNames,
} as const;

/** The namespace of a cluster's agent, in that cluster. */
export function agentNamespaceOf({ spec, status }: Cluster): string {
  return status?.agent?.namespace ?? spec?.agent?.namespace ?? usual[spec?.protocol ?? "rollcall"].namespace;
}

/** What shows the log of a cluster's agent, on that cluster. `options`: of kubectl. */
export function agentLogCommand(cluster: Cluster, options = ""): string {
  const { agent } = usual[cluster.spec?.protocol ?? "rollcall"];
  return `kubectl ${options}-n ${shellWord(agentNamespaceOf(cluster))} logs deployment/${agent}`;
}
