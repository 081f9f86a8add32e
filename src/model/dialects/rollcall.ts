/**
 * Names of the own join protocol, each defined once. A cluster's or token's name is a DNS label, so a name with a dot
 * can never collide with one that is made of a cluster's name alone (docs/decisions/: why dots).
 */

/** Namespace of the agent downstream, when the Cluster names none. */
export const defaultAgentNamespace = "rollcall-agent";

/** The namespace of the hub with ConfigMaps that any client may get: hub-info, and credentials after a restore. */
export const publicNamespace = "rollcall-public";
export const hubInfoName = "hub-info";

/** Seconds between two heartbeats, when the Cluster declares none. */
export const defaultHeartbeatSeconds = 60;
export const defaultFailureThreshold = 3;

/** Life of a working credential. */
export const workingLifeSeconds = 24 * 3600;
/** Life of a token that the hub makes for one cluster alone. */
export const bootstrapLifeSeconds = 3600;
/** The shortest life that a TokenRequest accepts. Source: Kubernetes API, authentication.k8s.io/v1 TokenRequestSpec. */
export const shortestTokenLifeSeconds = 600;

/** The agent's objects downstream. */
export const agentNames = {
  /** Deployment, ServiceAccount, Role, RoleBinding and the Lease of leadership. */
  agent: "rollcall-agent",
  /** Secret with the values to join by; the agent empties it. */
  values: "rollcall-agent-values",
  /** Secret with the agent's keys and credentials; only the agent writes it. */
  identity: "rollcall-agent-identity",
} as const;

/** Name of the agent's ClusterRole and its binding: cluster-scoped, so it carries the namespace. */
export function agentClusterRoleName(agentNamespace: string): string {
  return `rollcall-agent.${agentNamespace}`;
}

/** ServiceAccount, Role, RoleBinding and Lease of a cluster's agent. */
export function workingName(clusterName: string): string {
  return `rollcall-${clusterName}`;
}

/** The cluster's name in a name made by {@link workingName}, or undefined. */
export function clusterOfWorkingName(name: string): string | undefined {
  const match = /^rollcall-([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)$/u.exec(name);
  return match?.[1];
}

/** ServiceAccount, Role, RoleBinding of the recovery account. */
export function recoveryName(clusterName: string): string {
  return `rollcall-${clusterName}.recovery`;
}

/** The recovery account's token Secret. It belongs to one identity: another agent's keys get another Secret. */
export function recoverySecretName(clusterName: string, signingKeyDigest: string): string {
  return `rollcall-${clusterName}.recovery.${shortDigest(signingKeyDigest)}`;
}

/** ServiceAccount, Role, RoleBinding of the token that the hub makes for one cluster alone. */
export function bootstrapName(clusterName: string): string {
  return `rollcall-${clusterName}.bootstrap`;
}

export function bootstrapSecretName(clusterName: string, number: number): string {
  return `rollcall-${clusterName}.bootstrap.${number}`;
}

/** The Secret that working token number `number` is bound to. */
export function credentialSecretName(clusterName: string, number: number): string {
  return `rollcall-${clusterName}.${number}`;
}

/** The ConfigMap with the manifest that the agent applies. */
export function manifestName(clusterName: string): string {
  return `rollcall-agent-${clusterName}`;
}

/** ServiceAccount, Role, RoleBinding and, if it needs one, token Secret of a ClusterRegistrationToken. */
export function tokenAccountName(tokenName: string): string {
  return `rollcall.token.${tokenName}`;
}

/** The Secret that a token's credential is bound to; the Secret with its values is another, named like the token. */
export function tokenCredentialName(tokenName: string): string {
  return `rollcall.token.${tokenName}.bound`;
}

/** The token that a registration names when the hub made it for one cluster alone. */
export function internalTokenName(clusterName: string): string {
  return `${clusterName}.bootstrap`;
}

/** The cluster that an internal token was made for; undefined for the name of a ClusterRegistrationToken. */
export function clusterOfInternalToken(tokenName: string): string | undefined {
  const match = /^([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)\.bootstrap$/u.exec(tokenName);
  return match?.[1];
}

/** The name an agent gives its ClusterRegistration: it can be asked for by `get`, without `list`. */
export function registrationName(tokenName: string, signingKeyDigest: string): string {
  return `${tokenName}-${shortDigest(signingKeyDigest)}`;
}

/** The ConfigMap of {@link publicNamespace} by which an agent comes back after the hub was lost. */
export function readmitName(signingKeyDigest: string): string {
  return `readmit-${signingKeyDigest.replace(/^sha256:/u, "")}`;
}

/** Annotations of this protocol's objects. */
export const rollcallAnnotations = {
  /** On the Secret that a working credential is bound to: uid of the account that it was issued for, and dies with. */
  accountUid: "rollcall.dev/account-uid",
  /** On a cluster's Lease: seconds between two heartbeats. */
  heartbeatPeriod: "rollcall.dev/heartbeat-period-seconds",
  /** On the Secret of a token: RFC 3339, or `never`. */
  credentialExpires: "rollcall.dev/credential-expires",
  /** On the Secret of a token: the hub caps the life of tokens below `ttl`, so a token Secret is used. */
  lifeIsCapped: "rollcall.dev/token-life-is-capped",
  /** On the manifest's ConfigMap: digest of the agent's fields of its Cluster when it was rendered. */
  agentInputs: "rollcall.dev/agent-inputs",
  /** On the manifest's ConfigMap: since when it is offered, RFC 3339. */
  offeredAt: "rollcall.dev/offered-at",
  /** On the agent's Deployment: digest of the manifest that it came with. */
  manifestDigest: "rollcall.dev/manifest-digest",
} as const;

function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/u, "").slice(0, 16);
}
