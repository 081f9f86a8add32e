import { kubefleetAgentNames } from "../../../model/dialects/kubefleet.ts";
import { kubefleetMemberCrds } from "../../../model/dialects/kubefleet-crds.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import type { BootstrapValues } from "../../join.ts";
import { isLeaving } from "../../member-state.ts";
import type { AgentPlace } from "../../agent-deployment.ts";
import { agentDeployment } from "./agent-deployment.ts";

const rbac = "rbac.authorization.k8s.io";
const reading = ["get", "list", "watch"];

/** Where the agent is to be; of a paused member, where it is. */
function agentNamespaceOf({ cluster, state }: Member): string {
  const { agent, paused } = cluster.spec ?? {};
  const installed = paused === true ? state?.install?.namespace : undefined;
  return installed ?? agent?.namespace ?? kubefleetAgentNames.namespace;
}

/** Nothing of its agent is changed but the token. A member that leaves is uninstalled, paused or not. */
function isHeld(member: Member): boolean {
  const { cluster, state } = member;
  return cluster.spec?.paused === true && state?.install !== undefined && !isLeaving(member);
}

/** The token comes by KubeFleet's sidecar; otherwise its Secret is mounted. */
export function usesSidecar(member: Member): boolean {
  return member.cluster.spec?.kubefleet?.refreshTokenImage !== undefined;
}

/**
 * What runs on the downstream cluster: KubeFleet's own agent, the namespace first. Of a paused member, once it is installed,
 * nothing but the token.
 */
export function kubefleetAgentManifest(
  member: Member,
  hub: Pick<HubFacts, "endpoint">,
  bootstrap?: BootstrapValues,
): KubeObject[] {
  const namespace = agentNamespaceOf(member);
  const labels = { app: kubefleetAgentNames.agent, "app.kubernetes.io/managed-by": "rollcall" };
  const place = { namespace, labels };
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } };
  const secret = bootstrap === undefined ? [] : [tokenSecret(place, bootstrap)];
  if (isHeld(member)) return [home, ...secret];
  return [
    home,
    ...kubefleetMemberCrds.map((crd) => labelled(crd, labels)),
    ...accessObjects(place),
    ...secret,
    agentDeployment(member, hub, place),
  ];
}

function labelled(object: KubeObject, labels: AgentPlace["labels"]): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } };
}

function tokenSecret({ namespace, labels }: AgentPlace, { token }: BootstrapValues): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: kubefleetAgentNames.secret, namespace, labels: { ...labels } },
    type: "Opaque",
    data: { token: Buffer.from(String(token), "utf8").toString("base64") },
  };
}

function accessObjects({ namespace, labels }: AgentPlace): KubeObject[] {
  const { account, role, binding } = kubefleetAgentNames;
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace, labels: { ...labels } } },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: role, labels: { ...labels } },
      rules: memberRules,
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: binding, labels: { ...labels } },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
    },
  ];
}

/** As KubeFleet's chart gives them: the agent applies whatever Works hold, so it may do nearly everything in its cluster. */
const memberRules = [
  {
    apiGroups: ["placement.kubernetes-fleet.io"],
    resources: ["appliedworks"],
    verbs: [...reading, "create", "delete"],
  },
  { apiGroups: ["placement.kubernetes-fleet.io"], resources: ["appliedworks/status"], verbs: ["update"] },
  { apiGroups: [""], resources: ["nodes", "pods", "namespaces"], verbs: reading },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: [...reading, "create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: ["136224848560.hub.fleet.azure.com", "136224848560.member.fleet.azure.com"],
    verbs: ["update", "patch"],
  },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  { apiGroups: ["*"], resources: ["*"], verbs: ["get", "create", "update", "patch", "delete"] },
  { apiGroups: [rbac], resources: ["clusterroles", "roles"], verbs: ["bind", "escalate"] },
  { nonResourceURLs: ["/api", "/api/*", "/apis", "/apis/*", "/version", "/healthz", "/readyz"], verbs: ["get"] },
];
