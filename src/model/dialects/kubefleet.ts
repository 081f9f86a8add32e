/**
 * Names and terms of KubeFleet, each defined once. Source: kubefleet-dev/kubefleet, pkg/utils,
 * pkg/controllers/membercluster and charts/member-agent.
 */

export const kubefleetGroups = {
  cluster: "cluster.kubernetes-fleet.io",
  placement: "placement.kubernetes-fleet.io",
} as const;

export const kubefleetKeys = {
  /** Label of a MemberCluster: its own name. */
  memberName: "kubernetes-fleet.io/member-name",
  /** Label of namespaces that are KubeFleet's. */
  fleetResource: "kubernetes-fleet.io/is-fleet-resource",
  /** Property: the version of Kubernetes. */
  kubernetesVersion: "k8s.io/k8s-version",
} as const;

/** Of every finalizer of KubeFleet. */
export const kubefleetFinalizerPrefix = "kubernetes-fleet.io/";

/** The agent whose status counts. */
export const kubefleetAgentType = "MemberAgent";

/** Seconds between two heartbeats, as KubeFleet allows them. */
export const kubefleetHeartbeat = { maxSeconds: 600 } as const;

/** A leave waits this long for the agent, as KubeFleet's own hub agent does. */
export const kubefleetOffboardingWaitMs = 15 * 60_000;

/** Reasons of a MemberCluster's conditions. */
export const kubefleetReasons = {
  readyToJoin: "MemberClusterReadyToJoin",
  notReadyToJoin: "MemberClusterNotReadyToJoin",
  joined: "MemberClusterJoined",
  left: "MemberClusterLeft",
  joinUnknown: "MemberClusterJoinStateUnknown",
  healthy: "MemberClusterAPIServerHealthy",
  unhealthy: "MemberClusterAPIServerUnhealthy",
  heartbeatLost: "MemberAgentHeartbeatLost",
  noStatus: "MemberAgentReportedNoStatus",
  noHealth: "MemberAgentReportedNoHealthInfo",
} as const;

/** Names of the agent's objects downstream. */
export const kubefleetAgentNames = {
  namespace: "fleet-system",
  agent: "member-agent",
  account: "member-agent-sa",
  role: "member-agent-role",
  binding: "member-agent-cluster-admin-binding",
  /** The Secret with the token, under key `token`. */
  secret: "hub-kubeconfig-secret",
  sidecar: "refresh-token",
} as const;

/** The hub's namespace for one member. */
export function memberNamespaceName(clusterName: string): string {
  return `fleet-member-${clusterName}`;
}

export function memberRoleName(clusterName: string): string {
  return `fleet-role-${clusterName}`;
}

export function memberRoleBindingName(clusterName: string): string {
  return `fleet-rolebinding-${clusterName}`;
}

/** The account that KubeFleet's scripts make for a member. */
export function memberAccountName(clusterName: string): string {
  return `${clusterName}-hub-cluster-access`;
}
