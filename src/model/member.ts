import type { ClusterRegistrationToken } from "./generated/cluster-registration-token.ts";
import type { Cluster } from "./generated/cluster.ts";
import type { MemberState } from "./member-state.ts";
import type { Signed } from "./generated/signed.ts";
import type { KubeObject } from "./kubernetes.ts";

/** Everything the hub knows of one member at one moment. Planning and joining decide from it alone. */
export interface Member {
  readonly workspace: string;
  readonly name: string;
  /** As on the hub, or, while planning, as it will be. */
  readonly cluster: Cluster;
  /** The hub's own state; undefined before the first reconcile, or when it was lost. */
  readonly state: MemberState | undefined;
  /**
   * Objects on the hub that carry label rollcall.dev/cluster with this name, in this workspace, of every watched kind;
   * those outside of it that carry label rollcall.dev/owner-workspace too; everything in a namespace among them; and the
   * registration that `state.join` names. An agent may label its own objects as it likes: readers go by kind and name,
   * never by label alone.
   */
  readonly children: readonly KubeObject[];
  /** The Secret that the Cluster names as its kubeconfig, if it is there. */
  readonly kubeconfigSecret?: KubeObject;
  /** The cluster whose place this one takes, as long as it exists: its agent still has to go over. */
  readonly former?: Member;
}

/** A ClusterRegistrationToken and what belongs to it. */
export interface TokenSubject {
  readonly workspace: string;
  readonly name: string;
  readonly token: ClusterRegistrationToken;
  /** Objects on the hub that carry label rollcall.dev/token with this name, in this workspace. */
  readonly children: readonly KubeObject[];
  /** Why the hub makes nothing for it. */
  readonly refusal?: { readonly reason: string; readonly message: string };
  /** Another writer keeps changing what the hub makes for it. */
  readonly fight?: { readonly reason: string; readonly message: string };
}

/** What is true of the hub as a whole, for protocols to write into manifests and answers. */
export interface HubFacts {
  /** Digest of the hub's first trust key. It stays when the key is replaced. */
  readonly hubId: string;
  /** What agents dial when their Cluster does not declare otherwise. */
  readonly endpoint: { readonly url: string; readonly caBundle: string };
  readonly daemonNamespace: string;
  /** More addresses that agents may come to use (a move that is announced), best first. */
  readonly alternateEndpoints?: readonly { readonly url: string; readonly caBundle: string }[];
  readonly trust: TrustKey;
  /** Seconds until an agent that is not ready is rolled back to the previous version. Default 600. */
  readonly agentDeadlineSeconds?: number;
  /** Why a member (`workspace/name`) must not change its agent now; undefined when it may. Absent: all may. */
  readonly agentHold?: (memberKey: string) => AgentHold | undefined;
  /** This program's version, and the image that agents run unless their Cluster declares another. */
  readonly version: string;
  readonly agentImage: string;
  readonly nowMs: number;
}

export interface AgentHold {
  readonly reason: string;
  readonly message: string;
  /** The true reason is not known yet: the daemon has just started. */
  readonly isPreliminary?: boolean;
}

/** How the keys of a hub follow each other. */
export interface KeySuccession {
  /** Of the present key; the first one has number 1. */
  readonly number: number;
  /** Each replacement, signed by the key that was replaced, oldest first. A revocation empties the list. */
  readonly replacements: readonly Signed[];
}

/** The hub's trust key, as far as others may use it. */
export interface TrustKey {
  /** Ed25519, SPKI, base64. HubFacts.hubId is its digest as long as it was never replaced. */
  readonly publicKey: string;
  /** How agents come to this key from an earlier one; absent while the hub has its first key. */
  readonly succession?: KeySuccession;
  /** Raised by each restore of the hub. */
  readonly epoch: number;
  /** RFC 3339: since when the present endpoints are announced; it changes only when they do. */
  readonly validFrom: string;
  /** Ed25519 signature over these bytes. Deterministic. Plans never call it. */
  sign(payload: Uint8Array): Uint8Array;
}
