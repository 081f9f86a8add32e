import { createHash } from "node:crypto";
import { sha256Hex } from "../../core/digest.ts";

/**
 * Names, hashes and keys of Rancher Fleet, each defined once. Source: rancher/fleet, internal/names,
 * internal/cmd/agent/register and internal/cmd/controller/agentmanagement; the vectors of the test have the expected
 * values.
 */

/** Namespace of Fleet's agent downstream, and of its controllers on a hub. */
export const fleetSystemNamespace = "cattle-fleet-system";
/** The namespace of the hub with the answers to agents. */
export const fleetRegistrationNamespace = "cattle-fleet-clusters-system";

/** Seconds between two heartbeats of an agent that was installed without a configured period. */
export const fleetHeartbeatSeconds = 900;
/** An agent waits for its answer for 30 minutes at most; a later answer is not read. */
export const fleetAnswerLifeMs = 40 * 60_000;
/** Life of the token that the hub makes for one cluster alone. */
export const fleetImportLifeMs = 12 * 3600_000;

export const fleetKeys = {
  managed: "fleet.cattle.io/managed",
  cluster: "fleet.cattle.io/cluster",
  clusterNamespace: "fleet.cattle.io/cluster-namespace",
  registration: "fleet.cattle.io/cluster-registration",
  registrationNamespace: "fleet.cattle.io/cluster-registration-namespace",
  /** Label of a registration: the token by which the agent asks. Agents of 0.15 and older do not set it. */
  registrationToken: "fleet.cattle.io/registration-token",
  /** Label of what Rancher itself manages. */
  clusterManagement: "fleet.cattle.io/cluster-management",
  createdByAgentPod: "fleet.cattle.io/created-by-agent-pod",
  /** Annotation of a Fleet token's file: names of the clusters that may register again with it, with commas between. */
  namedClusters: "rollcall.dev/cluster-names",
} as const;

/** Names of the agent's objects downstream. */
export const fleetAgentNames = {
  agent: "fleet-agent",
  bootstrap: "fleet-agent-bootstrap",
  priorityClass: "fleet-agent-priority-class",
  disruptionBudget: "fleet-agent-pod-disruption-budget",
  networkPolicy: "default-allow-all",
} as const;

/** Types of Secrets of Fleet on a hub. */
export const fleetSecretTypes = {
  values: "fleet.cattle.io/cluster-registration-values",
  credential: "fleet.cattle.io/agent-credential",
} as const;

/** ClusterRoles of Fleet on a hub, bound for each agent. */
export const fleetClusterRoles = { bundleDeployment: "fleet-bundle-deployment", content: "fleet-content" } as const;

/** Joins with `-`; what is longer than a DNS label ends in a piece of its digest instead. */
export function safeConcatName(...parts: readonly string[]): string {
  const full = parts.join("-");
  if (full.length < 64) return full;
  const digest = sha256Hex(full);
  const last = full[56] ?? "";
  return /[a-z0-9]/u.test(last)
    ? `${full.slice(0, 57)}-${digest.slice(0, 5)}`
    : `${full.slice(0, 56)}-${digest.slice(0, 6)}`;
}

/** Twelve hex digits that represent a text in a name. */
export function keyHash(text: string): string {
  return sha256Hex(Buffer.from(text, "utf8").subarray(0, 100)).slice(0, 12);
}

/** A text of at most `length` characters: what is longer ends in a piece of its MD5. */
export function limitName(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length <= 6) return text.slice(0, length);
  const head = text.slice(0, length - 6);
  const digest = createHash("md5").update(text).digest("hex").slice(0, 5);
  return head.endsWith("-") ? `${head}${digest}` : `${head}-${digest}`;
}

/** The Secret with the answer to a registration. */
export function credentialSecretName(clientID: string, clientRandom: string): string {
  return `c-${sha256Hex(clientID + clientRandom)}`.slice(0, 63);
}

/** The hub's namespace with what one cluster is to deploy. */
export function clusterNamespaceName(workspace: string, clusterName: string): string {
  return safeConcatName("cluster", workspace, clusterName, keyHash(`${workspace}::${clusterName}`));
}

/** The name of a cluster that joined without being declared. */
export function createdClusterName(clientID: string): string {
  return safeConcatName("cluster", keyHash(clientID));
}

/** The account of a token, from the uid of its Fleet object. */
export function tokenAccountName(tokenName: string, uid: string): string {
  return safeConcatName(tokenName, uid);
}

/** The account of an agent, from its registration. */
export function requestAccountName(registrationName: string, uid: string): string {
  return safeConcatName(registrationName, uid);
}

/** The token, and its account, that the hub makes for one cluster alone. */
export function importTokenName(clusterName: string): string {
  return safeConcatName(`import-token-${clusterName}`);
}

/** A label key that Fleet's agent may never set: Rancher's own, and those reserved here. */
export function isReservedFleetLabel(key: string): boolean {
  return /^(?:management\.cattle\.io|fleet\.cattle\.io)\//u.test(key) && key !== fleetKeys.createdByAgentPod;
}
