import type { KubeObject } from "../../../model/kubernetes.ts";
import { agentClusterRoleName, agentNames } from "../../../model/dialects/rollcall.ts";

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** A right of the agent in its own cluster, with the reason that it is there. */
interface Right extends PolicyRule {
  readonly why: string;
}

const rbacGroup = "rbac.authorization.k8s.io";

/** What the agent may do in the whole downstream cluster. Never more than this: it reads no workload and no Secret. */
export function clusterRights(agentNamespace: string): readonly Right[] {
  const roleName = agentClusterRoleName(agentNamespace);
  return [
    {
      why: "counts nodes and sums what they have",
      apiGroups: [""],
      resources: ["nodes"],
      verbs: ["get", "list"],
    },
    {
      why: "the uid of kube-system is the cluster's identity",
      apiGroups: [""],
      resources: ["namespaces"],
      resourceNames: ["kube-system"],
      verbs: ["get"],
    },
    {
      why: "version and health of the API server, also where these are not public",
      nonResourceURLs: ["/version", "/livez", "/readyz"],
      verbs: ["get"],
    },
    {
      why: "removes itself when the cluster leaves and the hub has no kubeconfig",
      apiGroups: [""],
      resources: ["namespaces"],
      resourceNames: [agentNamespace],
      verbs: ["get", "delete"],
    },
    {
      why: "the same; handed to the garbage collection, by which it can give itself nothing that it has not",
      apiGroups: [rbacGroup],
      resources: ["clusterroles", "clusterrolebindings"],
      resourceNames: [roleName],
      verbs: ["get", "patch", "delete"],
    },
  ];
}

/** What the agent may do in its own namespace. All of it by name: the installation makes the objects, empty. */
export function namespaceRights(): readonly Right[] {
  const { agent, values, identity } = agentNames;
  return [
    {
      why: "reads what it is to join by, and forgets it",
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: [values],
      verbs: ["get", "patch", "delete"],
    },
    {
      why: "keeps its keys and credentials",
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: [identity],
      verbs: ["get", "patch", "delete"],
    },
    {
      why: "one of its replicas leads",
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      resourceNames: [agent],
      verbs: ["get", "update", "patch", "delete"],
    },
    {
      why: "rolls itself to the version that the hub asks for, and back",
      apiGroups: ["apps"],
      resources: ["deployments"],
      resourceNames: [agent],
      verbs: ["get", "patch", "delete"],
    },
    {
      why: "removes itself when the cluster leaves and the hub has no kubeconfig",
      apiGroups: [""],
      resources: ["serviceaccounts"],
      resourceNames: [agent],
      verbs: ["get", "patch", "delete"],
    },
    {
      why: "the same; handed to the garbage collection",
      apiGroups: [rbacGroup],
      resources: ["roles", "rolebindings"],
      resourceNames: [agent],
      verbs: ["get", "patch", "delete"],
    },
  ];
}

/** ServiceAccount, roles and bindings of the agent downstream. */
export function renderAgentRights(namespace: string, labels: Readonly<Record<string, string>>): KubeObject[] {
  const { agent } = agentNames;
  const clusterRole = agentClusterRoleName(namespace);
  const subjects = [{ kind: "ServiceAccount", name: agent, namespace }];
  const rbac = `${rbacGroup}/v1`;
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: agent, namespace, labels: { ...labels } } },
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata: { name: clusterRole, labels: { ...labels } },
      rules: clusterRights(namespace).map(withoutReason),
    },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name: clusterRole, labels: { ...labels } },
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: clusterRole },
      subjects,
    },
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name: agent, namespace, labels: { ...labels } },
      rules: namespaceRights().map(withoutReason),
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name: agent, namespace, labels: { ...labels } },
      roleRef: { apiGroup: rbacGroup, kind: "Role", name: agent },
      subjects,
    },
  ];
}

function withoutReason({ why: _, ...rule }: Right): PolicyRule {
  return rule;
}
