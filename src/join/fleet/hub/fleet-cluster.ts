import { withoutEmptyMaps } from "../../../core/json.ts";
import { fleetKeys } from "../../../model/dialects/fleet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { labelKeys } from "../../../model/well-known.ts";

/**
 * Fleet's Cluster of a member, with all fields of its file in Fleet's terms. It is the same for all controllers that
 * serve it, so that changing them changes nothing here.
 */
export function renderFleetCluster({ workspace, name, cluster, state }: Member): KubeObject {
  const { spec } = cluster;
  const { agent, fleet, kubeConfigSecretRef } = spec ?? {};
  const own = Object.entries(cluster.metadata.labels ?? {}).filter(([key]) => !key.startsWith("rollcall.dev/"));
  const body = {
    paused: spec?.paused === true ? true : undefined,
    clientID: spec?.clientID ?? state?.clientID,
    kubeConfigSecret: (kubeConfigSecretRef?.key ?? "value") === "value" ? kubeConfigSecretRef?.name : undefined,
    redeployAgentGeneration: agent?.redeployGeneration,
    agentNamespace: agent?.namespace,
    agentEnvVars: agent?.env,
    agentTolerations: agent?.tolerations,
    agentAffinity: agent?.affinity,
    agentResources: agent?.resources,
    agentPullSecrets: agent?.imagePullSecrets,
    hostNetwork: agent?.hostNetwork === true ? true : undefined,
    agentSchedulingCustomization: fleet?.agentSchedulingCustomization,
    privateRepoURL: fleet?.privateRepoURL,
    templateValues: fleet?.templateValues,
  };
  return withoutEmptyMaps({
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      namespace: workspace,
      labels: { ...Object.fromEntries(own), [fleetKeys.cluster]: name, [labelKeys.cluster]: name },
    },
    spec: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
  });
}
