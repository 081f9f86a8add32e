import { sha256Hex } from "../../core/digest.ts";
import type { JsonObject } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";

/**
 * Names and terms of Clusternet, each defined once. Source: clusternet/clusternet, pkg/known, pkg/agent and
 * pkg/controllers/clusters; the vectors of the test have the expected values.
 */

export const clusternetGroup = "clusters.clusternet.io";

export const clusternetKeys = {
  /** Label of a ManagedCluster and of a request: the uid of the Lease by which the agent leads downstream. */
  clusterId: "clusters.clusternet.io/cluster-id",
  clusterName: "clusters.clusternet.io/cluster-name",
  createdBy: "clusternet.io/created-by",
} as const;

/** Value of {@link clusternetKeys}.createdBy that Clusternet's own readers select by. */
export const clusternetCreator = "clusternet-agent";

/** Prefix of labels that the agent copies up from its nodes. It takes away every other one with this prefix. */
export const clusternetNodeLabelPrefix = "node.clusternet.io/";

/** A taint that Clusternet's controllers set, and remove as the agent sends heartbeats: no file declares it. */
export function isTaintOfClusternet(taint: JsonObject): boolean {
  return (textAt(taint, "key") ?? "").startsWith(`${clusternetGroup}/`);
}

/**
 * The labels of the agent's flag --cluster-labels that name the token by which it registers; an admission policy ties
 * them to the account that it asks with.
 */
export const clusternetTokenLabels = { workspace: "rollcall.dev/workspace", token: "rollcall.dev/token" } as const;

/** Longest name of a cluster: the definition of Clusternet's request has this bound. */
const clusternetMaxName = 30;

/** Seconds between two heartbeats of an agent that was installed without a configured period. */
export const clusternetHeartbeatSeconds = 180;

/** The answer to a request may be read with the token's credential this long after it was given. */
export const clusternetAnswerLifeMs = 10 * 60_000;
/** The same, of an agent that has never beaten. */
export const clusternetFirstAnswerLifeMs = 24 * 3600_000;
/** Life of the credential that the hub installs an agent with. */
export const clusternetImportLifeMs = 12 * 3600_000;

/** ClusterRoles on the hub that agents and token credentials are bound to. */
export const clusternetClusterRoles = {
  agent: "rollcall-clusternet-agent",
  request: "rollcall-clusternet-request",
} as const;

/** Reasons of a ManagedCluster's condition Ready that the hub posts. */
export const clusternetReasons = {
  unknown: "ClusterStatusUnknown",
  neverUpdated: "ClusterStatusNeverUpdated",
} as const;

/** Key of the taint that keeps workloads off a cluster that is not ready. */
export const clusternetUnschedulableTaint = "clusters.clusternet.io/unschedulable";

/** Names of the agent's objects downstream. */
export const clusternetAgentNames = {
  namespace: "clusternet-system",
  agent: "clusternet-agent",
  access: "clusternet:agent:admin",
  /** The agent's configuration: `parentURL` and `regToken`. */
  registration: "clusternet-agent-cluster-registration",
  /** What the agent keeps of the answer. */
  answer: "parent-cluster",
  lease: "clusternet-agent",
} as const;

const accountPrefix = "clusternet.";
const agentAccountPrefix = "clusternet-agent.";
export const clusternetAccountPrefixes = { token: accountPrefix, agent: agentAccountPrefix } as const;

/** The request of an agent. */
export function registrationRequestName(clusterId: string): string {
  return `clusternet-${clusterId}`;
}

/**
 * The hub's namespace for one cluster. In Clusternet the API server completes `clusternet-` with five letters; an agent
 * gets the name from the hub.
 */
export function dedicatedNamespaceName(workspace: string, clusterName: string): string {
  return `clusternet-${clusterName}-${sha256Hex(`${workspace}/${clusterName}`).slice(0, 10)}`;
}

/** The account, in the workspace, that one cluster asks by; without a token the one that the hub itself installs. */
export function tokenAccountName(clusterName: string, tokenName?: string): string {
  return tokenName === undefined ? `${accountPrefix}${clusterName}` : `${accountPrefix}${tokenName}.${clusterName}`;
}

/** The account, in the workspace, of an agent that was admitted. */
export function agentAccountName(clusterId: string): string {
  return `${agentAccountPrefix}${clusterId}`;
}

/** The ClusterRole of one agent, and its binding: a cluster-scoped name must distinguish workspaces. */
export function requestRoleName(workspace: string, clusterName: string): string {
  return `rollcall-clusternet.${workspace}.${clusterName}`;
}

/** A cluster id as an agent makes it. */
export function isClusterId(text: string): boolean {
  return /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u.test(text);
}

/** A name that a cluster may have with Clusternet. */
export function isClusternetName(text: string): boolean {
  return text.length <= clusternetMaxName && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u.test(text);
}

/** The group of all holders of the bootstrap token of one cluster. */
export function bootstrapGroup(workspace: string, tokenName: string, clusterName: string): string {
  return `system:bootstrappers:clusternet:${workspace}:${tokenName}:${clusterName}`;
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Id and secret of a bootstrap token from 64 random bytes, every letter as likely as the other: of 256 bytes four are not
 * used, and 22 of the 64 are needed.
 */
export function bootstrapTokenForm(random: Uint8Array): { readonly id: string; readonly secret: string } {
  const usable = 256 - (256 % letters.length);
  const text = [...random].filter((byte) => byte < usable).map((byte) => letters[byte % letters.length]);
  return { id: text.slice(0, 6).join(""), secret: text.slice(6, 22).join("") };
}
