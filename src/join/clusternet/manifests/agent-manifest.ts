import { textAt, textMapAt } from "../../../core/read-json.ts";
import { clusternetAgentNames } from "../../../model/dialects/clusternet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import type { BootstrapValues } from "../../join.ts";
import { outsideLabels } from "../../member-state.ts";
import type { AgentPlace } from "../../agent-deployment.ts";
import { agentDeployment } from "./agent-deployment.ts";
import { tokenFlags } from "./agent-flags.ts";

const rbac = "rbac.authorization.k8s.io";
const reading = ["get", "list", "watch"];

export function agentNamespaceOf(member: Pick<Member, "cluster">): string {
  return member.cluster.spec?.agent?.namespace ?? clusternetAgentNames.namespace;
}

/**
 * What runs on the downstream cluster: Clusternet's own agent, the namespace first. `bootstrap` has `regToken`, and where
 * that is of a token its `tokenName` and the `labels` that the agent is to propose. The account that deploys workloads as
 * cluster-admin is not among it.
 */
export function clusternetAgentManifest(
  member: Member,
  hub: Pick<HubFacts, "endpoint">,
  bootstrap?: BootstrapValues,
): KubeObject[] {
  const { workspace, name: clusterName } = member;
  const tokenName = textAt(bootstrap, "tokenName");
  const labelled = { ...(tokenName === undefined ? {} : { tokenName }), labels: textMapAt(bootstrap, "labels") };
  return manifestWith(member, hub, { bootstrap, whoFlags: tokenFlags({ workspace, clusterName, ...labelled }) });
}

/**
 * The same for a hub that Clusternet's own controllers serve. `bootstrap` has only `regToken`. Its ManagedCluster must
 * be in the namespace `home`; its labels name the owner.
 */
export function externalAgentManifest(
  member: Member,
  hub: Pick<HubFacts, "endpoint">,
  { home, bootstrap }: { readonly home: string; readonly bootstrap?: BootstrapValues | undefined },
): KubeObject[] {
  const pairs = Object.entries(outsideLabels(member)).map(([key, value]) => `${key}=${value}`);
  const whoFlags = {
    "cluster-reg-name": member.name,
    "cluster-reg-namespace": home,
    "cluster-labels": pairs.join(","),
  };
  return manifestWith(member, hub, { bootstrap, whoFlags });
}

function manifestWith(
  member: Member,
  hub: Pick<HubFacts, "endpoint">,
  {
    bootstrap,
    whoFlags,
  }: { readonly bootstrap: BootstrapValues | undefined; readonly whoFlags: Readonly<Record<string, string>> },
): KubeObject[] {
  const namespace = agentNamespaceOf(member);
  const labels = { app: clusternetAgentNames.agent, "app.kubernetes.io/managed-by": "rollcall" };
  const place = { namespace, labels };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    ...accessObjects(place),
    ...(bootstrap === undefined ? [] : [registrationSecret(place, parentUrl(member, hub), bootstrap)]),
    agentDeployment(member, place, { whoFlags, bootstrap }),
  ];
}

function parentUrl({ cluster }: Member, hub: Pick<HubFacts, "endpoint">): string {
  return cluster.spec?.hubEndpoint?.url ?? hub.endpoint.url;
}

function registrationSecret({ namespace, labels }: AgentPlace, url: string, { regToken }: BootstrapValues): KubeObject {
  const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: clusternetAgentNames.registration, namespace, labels: { ...labels } },
    type: "Opaque",
    data: { parentURL: encode(url), regToken: encode(String(regToken)) },
  };
}

function accessObjects({ namespace, labels }: AgentPlace): KubeObject[] {
  const { agent, access } = clusternetAgentNames;
  const subjects = [{ kind: "ServiceAccount", name: agent, namespace }];
  const metadata = { name: access, labels: { ...labels } };
  const inNamespace = { ...metadata, namespace };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: agent, namespace, labels: { ...labels } } },
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata: inNamespace, rules: ownRules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: inNamespace,
      roleRef: { apiGroup: rbac, kind: "Role", name: access },
      subjects,
    },
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata, rules: clusterRules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: access },
      subjects,
    },
  ];
}

/** What the agent was seen to do in its own namespace; Clusternet's manifest has every verb on everything there. */
const ownRules = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "update"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
];

const clusterRules = [
  { apiGroups: [""], resources: ["pods", "nodes"], verbs: reading },
  { apiGroups: ["metrics.k8s.io"], resources: ["pods", "nodes"], verbs: reading },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: reading },
  { apiGroups: ["multicluster.x-k8s.io"], resources: ["serviceexports"], verbs: [...reading, "update", "patch"] },
  { nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version"], verbs: ["get"] },
];
