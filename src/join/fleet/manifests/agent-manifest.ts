import { digestJson } from "../../../core/digest.ts";
import { fleetAgentNames, fleetSystemNamespace, importTokenName } from "../../../model/dialects/fleet.ts";
import type { FleetDisruptionBudget } from "../../../model/generated/cluster.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import { agentEndpoint } from "../../../planning/agent-endpoint.ts";
import type { BootstrapValues } from "../../join.ts";
import type { AgentPlace } from "../../agent-deployment.ts";
import { agentDeployment } from "./agent-deployment.ts";
import { labelsOfToken } from "./bootstrap-values.ts";

/** Fleet's agent may do everything in its cluster: it deploys whatever it is given. */
const everything = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

export function agentNamespaceFor(member: Member): string {
  return member.cluster.spec?.agent?.namespace ?? fleetSystemNamespace;
}

/**
 * What runs on the downstream cluster: Fleet's own agent, the namespace first. An agent searches for another way in, and reads
 * its configuration, only when it starts: each installation starts its Pod anew. `agentLabels` are what the agent proposes
 * for its cluster. Default: the token that the hub made for this member alone.
 */
export function fleetAgentManifest(
  member: Member,
  hub: Pick<HubFacts, "endpoint">,
  bootstrap?: BootstrapValues,
  agentLabels: Readonly<Record<string, string>> = labelsOfToken(importTokenName(member.name)),
): KubeObject[] {
  const namespace = agentNamespaceFor(member);
  const { agent } = fleetAgentNames;
  const labels = { app: agent, "app.kubernetes.io/managed-by": "rollcall" };
  const place = { namespace, labels };
  const clusterRole = { name: `${namespace}-fleet-agent-role`, labels };
  const rbac = "rbac.authorization.k8s.io";
  const standing: KubeObject[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: agent, ...place } },
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: clusterRole, rules: everything },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: `${clusterRole.name}-binding`, labels },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: clusterRole.name },
      subjects: [{ kind: "ServiceAccount", name: agent, namespace }],
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: agent, ...place },
      data: { config: JSON.stringify(agentConfig(member, agentLabels)) },
    },
    ...schedulingObjects(member, place),
    allowAllTraffic(place),
  ];
  const generation = String(member.cluster.spec?.agent?.redeployGeneration ?? 0);
  const deployment = agentDeployment(member, place, {});
  const endpoint = agentEndpoint(member, hub);
  const annotations = {
    [annotationKeys.installationDigest]: digestJson({ standing, deployment, endpoint, bootstrap }),
    "rollcall.dev/redeploy-generation": generation,
  };
  return [
    ...standing,
    ...(bootstrap === undefined ? [] : [bootstrapSecret(place, bootstrap), previousCredential(place)]),
    agentDeployment(member, place, annotations),
  ];
}

function agentConfig({ cluster }: Member, labels: Readonly<Record<string, string>>): Record<string, unknown> {
  const { clientID, fleet } = cluster.spec ?? {};
  return {
    // A clientID that the agent found out itself is not to change its installation.
    ...(clientID === undefined ? {} : { clientID }),
    agentTLSMode: fleet?.agentTLSMode ?? "strict",
    labels,
  };
}

/** Where those of `schedulingObjects` are, or were when the Cluster asked for them. */
export function optionalAgentObjects(member: Member): ObjectRef[] {
  const namespace = agentNamespaceFor(member);
  return [
    { type: resourceTypes.podDisruptionBudget, namespace, name: fleetAgentNames.disruptionBudget },
    { type: resourceTypes.priorityClass, name: fleetAgentNames.priorityClass },
  ];
}

/** The agent's own PriorityClass and PodDisruptionBudget, where the Cluster asks for them. */
function schedulingObjects({ cluster }: Member, { namespace, labels }: AgentPlace): KubeObject[] {
  const { priorityClass, podDisruptionBudget } = cluster.spec?.fleet?.agentSchedulingCustomization ?? {};
  const { agent } = fleetAgentNames;
  const described = { description: "Priority class for the Fleet agent" };
  return [
    ...(priorityClass === undefined
      ? []
      : [
          {
            apiVersion: "scheduling.k8s.io/v1",
            kind: "PriorityClass",
            metadata: { name: fleetAgentNames.priorityClass, labels: { ...labels } },
            value: priorityClass.value ?? 0,
            ...(priorityClass.preemptionPolicy === undefined
              ? {}
              : { preemptionPolicy: priorityClass.preemptionPolicy }),
            ...described,
          },
        ]),
    ...(podDisruptionBudget === undefined
      ? []
      : [
          {
            apiVersion: "policy/v1",
            kind: "PodDisruptionBudget",
            metadata: { name: fleetAgentNames.disruptionBudget, namespace, labels: { ...labels } },
            spec: { selector: { matchLabels: { app: agent } }, ...budgetOf(podDisruptionBudget) },
          },
        ]),
  ];
}

/** A number or a percentage; with neither, no Pod may be evicted. */
function budgetOf(budget: FleetDisruptionBudget): Record<string, unknown> {
  const amount = (text: string): number | string => (text.endsWith("%") ? text : Number(text));
  if (budget.minAvailable !== undefined) return { minAvailable: amount(budget.minAvailable) };
  return { maxUnavailable: amount(budget.maxUnavailable ?? "0") };
}

/** The agent reaches the hub from clusters that deny all traffic by default. */
function allowAllTraffic({ namespace, labels }: AgentPlace): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: fleetAgentNames.networkPolicy, namespace, labels: { ...labels } },
    spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"], ingress: [{}], egress: [{}] },
  };
}

function bootstrapSecret({ namespace, labels }: AgentPlace, values: BootstrapValues): KubeObject {
  const data = Object.entries(values).map(([key, value]): [string, string] => [
    key,
    Buffer.from(String(value), "utf8").toString("base64"),
  ]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: fleetAgentNames.bootstrap, namespace, labels: { ...labels } },
    type: "Opaque",
    data: Object.fromEntries(data),
  };
}

/**
 * The agent keeps what it joined with, with the hub's address in it, and asks anew only when that fails. Fleet's controllers
 * delete it with every installation, too.
 */
function previousCredential({ namespace, labels }: AgentPlace): KubeObject {
  const metadata = { name: fleetAgentNames.agent, namespace, labels: { ...labels } };
  const data = { kubeconfig: Buffer.from("none", "utf8").toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
}
