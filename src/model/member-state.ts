import type { ClusterSpec } from "./generated/cluster.ts";
import type { KubeObject } from "./kubernetes.ts";
import { labelKeys } from "./well-known.ts";
import { parseJson } from "../core/parse-json.ts";

/**
 * What the hub remembers of one member: ConfigMap `rollcall-cluster-<name>`, which only the hub can write.
 * Cluster.status mirrors it and is rebuilt from it; decisions are made from this, never from an object an agent can write.
 */
export interface MemberState {
  /** How its Cluster came about. With it the hub makes a Cluster again that a person deleted. */
  readonly origin?: MemberOrigin;
  readonly clientID?: string;
  /** Who this member is. Absent before it joined. */
  readonly keys?: AgentKeys;
  readonly join?: MemberJoin;
  /** The newest working credential that was issued; the first is remembered before it is. */
  readonly credential?: IssuedCredential;
  /** Numbers of credentials that are still valid, oldest first; the newest is `credential.number`. */
  readonly liveCredentials?: readonly number[];
  /** The highest number ever used. A number is never used again, by this member or a later one. */
  readonly lastCredentialNumber?: number;
  /** Nonce of the last renewal request that was answered; only a greater one is answered. */
  readonly answeredNonce?: number;
  /** The newest token that the hub made for this member alone. */
  readonly bootstrap?: IssuedCredential;
  /** Why the hub gives the agent another way in now, and installs it, although it joined before. */
  readonly rejoin?: RejoinReason;
  /** RFC 3339: when that was decided last. */
  readonly rejoinAt?: string;
  /** How far the offboarding is. */
  readonly leave?: MemberOffboarding;
  /** Labels that came with the token or were proposed by the agent and allowed; manager rollcall-hub owns them. */
  readonly labels?: { readonly token?: Record<string, string>; readonly agent?: Record<string, string> };
  /** What was last installed downstream by the hub itself. */
  readonly install?: MemberInstall;
  /** An installation that has begun and is not recorded in `install` yet: objects of it may be downstream. */
  readonly installing?: BegunInstall;
  /** An agent version that did not come up, latched until version or redeployGeneration changes. */
  readonly refusedVersion?: string;
  /** The cluster whose place this one takes, as long as that is there: its agent comes from there. */
  readonly movedFrom?: ClusterName;
  /** The cluster of another workspace that took over this state: the agent may return from there, and from no other one. */
  readonly takenOverBy?: ClusterName;
  /** The join protocol that this cluster still leaves. Until that is done, no agent joins by the one that it names now. */
  readonly formerProtocol?: FormerProtocol;
  /** Facts of a foreign protocol, under its own keys. */
  readonly protocolFacts?: Readonly<Record<string, string>>;
}

export type RejoinReason =
  /** It sent nothing for long. */
  | "AgentLost"
  /** Its file asks for it. */
  | "Redeploy";

export interface MemberOrigin {
  /** `<namespace>.<name>` of the Repository that owns it. */
  readonly repository?: string;
  /** A file declares it, or did: only the file's going makes it leave. */
  readonly isDeclared: boolean;
  /** The file. */
  readonly sourceFile?: string;
  /** As a whole: a Cluster that is made again must not be another one for a moment. */
  readonly spec?: ClusterSpec;
}

export interface ClusterName {
  readonly workspace: string;
  readonly name: string;
}

export interface AgentKeys {
  /** Ed25519, SPKI, base64. */
  readonly signing: string;
  /** X25519, raw, base64. */
  readonly sealing: string;
}

export interface MemberJoin {
  /** Name of the ClusterRegistrationToken; absent for a hub-initiated join. */
  readonly token?: string;
  /** The how-manieth use of that token this was; counts from 1. */
  readonly tokenUse?: number;
  /** Number of the token that the hub made for this member alone, when it joined by one. */
  readonly bootstrap?: number;
  /** RFC 3339. */
  readonly time: string;
  /** The ClusterRegistration that was granted and is answered. */
  readonly registration: string;
  readonly initiated: "hub" | "agent";
}

export interface IssuedCredential {
  readonly number: number;
  /** RFC 3339, both by the hub's clock. */
  readonly issuedAt: string;
  readonly expiresAt: string;
}

export interface MemberOffboarding {
  /** The commit that removed the cluster's file. */
  readonly commit: string;
  /** RFC 3339: when the first step was taken. */
  readonly since: string;
  /** RFC 3339: when the wait for other tools ended that used what was published of it. */
  readonly releasedAt?: string;
  /** What was placed for the member and is removed first; absent before that, or when it is kept. */
  readonly placed?: PlacedRemoval;
  /** The agent is deleted downstream, or was given up. */
  readonly isUninstalled?: boolean;
  /** RFC 3339: when its credentials and rights were taken away. */
  readonly revokedAt?: string;
}

export interface PlacedRemoval {
  /** RFC 3339: when it was deleted on the hub. */
  readonly since: string;
  /** The first objects of it, as kind/namespace/name. */
  readonly names: readonly string[];
  /** The newest heartbeat at that moment. */
  readonly heartbeatMarker?: string;
  /** RFC 3339: when the agent had removed what it applied, or was given up. */
  readonly overAt?: string;
}

export interface FormerProtocol {
  /** The spec of the Cluster as long as it joined by that protocol. */
  readonly spec: ClusterSpec;
  /** How far the parting is; `commit` is that which changed the protocol. */
  readonly leave: MemberOffboarding;
}

export interface BegunInstall {
  /** RFC 3339. */
  readonly since: string;
  /** The agent's namespace downstream. */
  readonly namespace?: string;
}

export interface MemberInstall {
  /** Number of the token it was installed with, when the agent was to join by it. */
  readonly bootstrap?: number;
  /** Digest of the manifest that was applied downstream. */
  readonly manifestDigest: string;
  /** Digest of the kubeconfig that it was applied with. */
  readonly kubeconfigDigest: string;
  readonly redeployGeneration: number;
  readonly time: string;
  /** The agent's namespace downstream. */
  readonly namespace?: string;
}

export function memberStateName(clusterName: string): string {
  return `${memberStatePrefix}${clusterName}`;
}

/** The cluster whose state the ConfigMap of this name holds; undefined for another ConfigMap. */
export function memberStateSubject(name: string): string | undefined {
  return name.startsWith(memberStatePrefix) ? name.slice(memberStatePrefix.length) : undefined;
}

const memberStatePrefix = "rollcall-cluster-";

/** The ConfigMap that holds a state. */
export function memberStateObject(workspace: string, clusterName: string, state: MemberState): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: memberStateName(clusterName),
      namespace: workspace,
      labels: { [labelKeys.cluster]: clusterName },
    },
    data: { memory: JSON.stringify(state) },
  };
}

/**
 * Reads the state of a ConfigMap. A malformed one counts as lost (undefined): only the hub writes it, and a lost state
 * makes the member prove itself again instead of stopping everything.
 */
export function readMemberState(object: KubeObject | undefined): MemberState | undefined {
  const data = object?.["data"];
  if (typeof data !== "object" || data === null || !("memory" in data) || typeof data.memory !== "string")
    return undefined;
  const state = parseJson(data.memory);
  return typeof state === "object" && state !== null ? state : undefined;
}
