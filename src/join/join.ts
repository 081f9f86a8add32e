// join: how agents and a hub meet. This file is the port; each protocol is a folder with a hub half, a downstream half
// and manifests. Everything here is pure: decisions come back as objects and steps, src/hub carries them out.
import type { MemberState, RejoinReason } from "../model/member-state.ts";
import type { Cluster, ClusterStatus } from "../model/generated/cluster.ts";
import type { KubeObject, ObjectRef, OwnerReference, ResourceType } from "../model/kubernetes.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { HubFacts, Member, TokenSubject } from "../model/member.ts";
import type { ExclusiveName } from "../model/exclusive-name.ts";
import type { AgentProgress } from "../planning/agent-waves.ts";
import type { MemberIndex } from "../planning/member-index.ts";
import type { HeartbeatState } from "../planning/cluster-status-inputs.ts";

/**
 * A join protocol is four interfaces. All methods are required: an operation that a protocol does not support is a
 * named value of `join/neutral.ts`. Each folder has one file for each interface.
 */
export interface JoinProtocol extends Registration, Credentials, Lifecycle, StatusMirror {
  readonly name: ProtocolName;
}

/** How agents ask to join, and what a registration token needs on the hub. */
export interface Registration {
  /** How agents ask to join. `noRegistrations`: a member joins because it is declared, and no agent asks. */
  readonly registrations: RegistrationKind;
  /** The objects on the hub that a token should have, labelled rollcall.dev/token; the same rules. */
  desiredTokenObjects(subject: TokenSubject, hub: HubFacts): KubeObject[];
  /** The statuses of a token and its objects as they should be; equal ones need no write. */
  tokenStatuses(subject: TokenSubject, members: MemberIndex, hub: HubFacts): StatusWrite[];
}

/** The credentials of members and tokens: which are due, how they are delivered, which stay. */
export interface Credentials {
  /** Kinds whose undesired children are deleted. */
  readonly ownedTypes: readonly ResourceType[];
  /**
   * Children that issuing and delivering made (credentials, so no desired state may hold them) and that stay as they are.
   * A child of an owned type that is neither desired nor kept is deleted: that is how a credential is revoked.
   */
  keptObjects(subject: Subject, hub: HubFacts): ObjectRef[];
  /** When (epoch ms), after the time of `hub`, something of this subject is due by time alone: an expiry. Undefined: never. */
  dueAtMs(subject: Subject, hub: HubFacts): number | undefined;
  /** Credentials that are missing or due; never values. src/hub/credentials issues them. */
  credentialsDue(subject: Subject, hub: HubFacts): CredentialDue[];
  /** Writes that bring an issued credential to its holder (sealed, or into a Secret), and the state that follows. */
  deliver(subject: Subject, credential: NewCredential, hub: HubFacts, entropy: Entropy): Promise<Delivery>;
  /**
   * Values to join by that wait to be installed downstream by the hub itself (they are in a Secret of the hub, so an
   * installation can be tried again). After it, `state.install.bootstrap` is to be `number`; then this is undefined.
   */
  pendingBootstrap(
    member: Member,
    hub: HubFacts,
  ): { readonly number: number; readonly values: BootstrapValues } | undefined;
  /**
   * Whether the hub is to install the agent of a member that joined before once more, with another way in; asked whenever
   * the member is reconciled. `neverRejoins`: `pendingBootstrap` alone decides it.
   */
  rejoinOf(member: Member, hub: HubFacts, heartbeat: HeartbeatState): RejoinDecision;
  /** Secrets of the workspace, by name, that a Cluster names for this protocol: they are among the member's children. */
  namedSecrets(cluster: Cluster): readonly string[];
}

/** The objects of a member from its declaration to its removal, on the hub and downstream. */
export interface Lifecycle {
  /**
   * Kinds of the protocol's project that files declare too, and that a person may therefore create on the hub. None where the
   * project's own controllers serve them.
   */
  readonly declaredTypes: readonly ResourceType[];
  /**
   * Kinds of the hub that members of this protocol need watched, besides Cluster, Token, ConfigMap, Secret, Lease, accounts
   * and RBAC.
   */
  readonly observedTypes: readonly ResourceType[];
  /** Where children exist outside the workspace. */
  readonly outsideTypes: readonly OutsideType[];
  /**
   * Names that this member must own alone. If another member or another manager has one of them, the member is refused
   * (`Accepted=False`), unless its file has rollcall.dev/adopt.
   */
  exclusiveNames(member: Pick<Member, "workspace" | "name" | "cluster">): ExclusiveName[];
  /**
   * The objects on the hub that a member should have now, labelled rollcall.dev/cluster, applied by manager rollcall-hub.
   * Children of the member (of the kinds in `ownedTypes`) that are not among them are deleted.
   */
  desiredObjects(member: Member, hub: HubFacts): KubeObject[];
  /**
   * Children that a previous hub still holds, with the finalizers and owner references to keep. Otherwise garbage
   * collection removes the agent's rights when a user deletes the owner. `noPreviousHubHolds`: there are none.
   */
  previousHubHolds(member: Member): PreviousHubHold[];
  /** What runs on the downstream cluster. `bootstrap` is there when the agent must join (again). */
  agentManifest(member: Member, hub: HubFacts, bootstrap?: BootstrapValues): KubeObject[];
  /**
   * Where the agent's objects downstream are that it has only if its Cluster asks for them: an installation without one
   * deletes it. `noOptionalObjects`: there are none.
   */
  optionalObjects(member: Member): ObjectRef[];
  /** What is missing for the hub to install an agent by an available kubeconfig, and what to do. Undefined: nothing. */
  whyNotInstalled(member: Member): { readonly reason: string; readonly message: string } | undefined;
  /**
   * The progress of a member whose agent is another than the wanted one; undefined when it is the wanted one, or is not to be
   * changed. `rolledOutElsewhere`: the protocol's own controllers roll out agents.
   */
  agentProgress(member: Member, hub: HubFacts): Omit<AgentProgress, "isUnresponsive"> | undefined;
  /** What is left to do for a member whose leave was decided, in order; empty when only the Cluster object itself is left. */
  offboardingSteps(member: Member, hub: HubFacts): OffboardingStep[];
  /** What others placed for this member on the hub and its agent applies downstream. `nothingPlaced`: no such thing. */
  placedObjects(member: Member): readonly KubeObject[];
  /** What a user must remove downstream after the offboarding, as a sentence. Undefined: nothing. */
  whatStaysDownstream(member: Member): string | undefined;
}

/** What the agent reports, and the statuses that the hub writes of it. */
export interface StatusMirror {
  /** The kind whose objects carry heartbeats. While it cannot be watched, silence counts for nothing. */
  readonly heartbeatType: ResourceType;
  /** The object of `beatType` that carries the member's heartbeat. */
  heartbeatRef(member: Pick<Member, "workspace" | "name" | "cluster">): ObjectRef;
  /** The heartbeat in an object of the hub, if it is one. Two different markers are two heartbeats. */
  heartbeatIn(object: KubeObject): Heartbeat | undefined;
  /**
   * Whether a change of an object of `beatType` shows only that its agent is alive: then no other reconcile is
   * enqueued.
   */
  isOnlyHeartbeat(before: KubeObject | undefined, object: KubeObject | undefined): boolean;
  /**
   * Seconds between two heartbeats (1 to 3600) as the member's agent reports them; used where its file declares none.
   */
  agentPeriodSeconds(member: Member): number | undefined;
  /** What the agent reports of its cluster, checked for shape and size. */
  factsOf(member: Member, hub: HubFacts): MemberFacts;
  /**
   * The desired statuses of the protocol's own objects (reports, foreign kinds); equal ones need no write. `status` is
   * the current status of the Cluster.
   */
  statusWrites(member: Member, hub: HubFacts, status: ClusterStatus): StatusWrite[];
  /** The same while the member leaves. `noOffboardingStatus`: what its steps do not write stays as it is. */
  offboardingStatusWrites(member: Member, hub: HubFacts, status: ClusterStatus): StatusWrite[];
}

/** What stays of an object's finalizers and owner references. */
export interface PreviousHubHold {
  readonly ref: ObjectRef;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly OwnerReference[];
}

/**
 * Children outside the workspaces. Those that a protocol makes carry label rollcall.dev/owner-workspace; whatever else is
 * in a namespace that is a child belongs to the same member.
 */
export interface OutsideType {
  readonly type: ResourceType;
  /** The one namespace to read. Absent: all of them, or none for a cluster-scoped kind. */
  readonly namespace?: string;
  /** Narrows what is read. Default: what carries label rollcall.dev/owner-workspace. */
  readonly labelSelector?: string;
}

export interface RegistrationKind {
  readonly type: ResourceType;
  /**
   * The workspace that a registration without a namespace is for, as far as admission proves it. Empty: it names none,
   * and the decision on it considers no members.
   */
  workspaceOf(registration: KubeObject): string;
  /** The decision in it is final; the agent asks again with another. */
  isDecided(registration: KubeObject): boolean;
  /** The ClusterRegistrationToken that it names. */
  tokenNameOf(registration: KubeObject): string | undefined;
  /** Whether the sender holds the token that it names. */
  isProven(registration: KubeObject, scene: RegistrationScene, hub: HubFacts): boolean;
  /**
   * The decision on a request to join. Decisions of one workspace are taken one after the other, and each scene shows what
   * the decisions before it wrote (use counts and first claims depend on it).
   */
  decide(registration: KubeObject, scene: RegistrationScene, hub: HubFacts): RegistrationDecision;
  /** Registrations of a workspace that have served their time, oldest first. */
  expired(registrations: readonly KubeObject[], members: MemberIndex, hub: HubFacts): ObjectRef[];
  /** Kinds of children by whose spec {@link decide} finds a member whose Cluster and state do not contain its clientID. */
  readonly identifyingTypes: readonly ResourceType[];
}

export type Subject =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "token"; readonly subject: TokenSubject };

export interface Entropy {
  bytes(count: number): Uint8Array;
}

/** A credential to make. The value never passes through a plan. */
export interface CredentialDue {
  /** What it is for, within its subject: `bootstrap`, `working`, `recovery`, `proof`. */
  readonly purpose: string;
  readonly workspace: string;
  readonly how:
    | {
        readonly kind: "token-request";
        readonly account: string;
        readonly expirationSeconds: number;
        /** A Secret that is made for this token, by this name, and that the token is bound to. */
        readonly boundSecret?: KubeObject;
      }
    /** The token of a Secret of type service-account-token that exists already. */
    | { readonly kind: "token-secret"; readonly secret: string }
    /** Nothing but random bytes (`MintedCredential.random`). */
    | { readonly kind: "random" };
  /** How many random bytes to add. Default 0. */
  readonly randomBytes?: number;
  /** Why it is due, for plans and events. */
  readonly reason: string;
}

export interface NewCredential {
  readonly due: CredentialDue;
  readonly token?: string;
  /** RFC 3339, by the hub's clock. */
  readonly issuedAt: string;
  /** RFC 3339; absent when it does not end by itself. */
  readonly expiresAt?: string;
  readonly random: Uint8Array;
}

export interface Delivery {
  /** Objects to apply with manager rollcall-hub. */
  readonly objects: readonly KubeObject[];
  readonly statusWrites: readonly StatusWrite[];
  /** The member's new state, written before anything else of the delivery. */
  readonly state?: MemberState;
}

export interface RejoinDecision {
  /** Why; kept as `state.rejoin` until it is absent. */
  readonly reason?: RejoinReason;
  /** When (epoch ms) the result is another one although nothing happens. */
  readonly changesAtMs?: number;
}

/** What an agent needs to join, as its installation carries it. Secret. */
export interface BootstrapValues {
  readonly [key: string]: unknown;
}

export interface StatusWrite {
  readonly ref: ObjectRef;
  /** The whole status that manager rollcall-hub owns. */
  readonly status: Readonly<Record<string, unknown>>;
  /** Events of the object, reported after the status was written. Default: none. */
  readonly events?: readonly StatusEvent[];
}

/** An Event of an object whose status has changed, with the text of the protocol's project. */
export interface StatusEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type OffboardingStep =
  /**
   * Delete what was placed for the member, and wait until its agent has removed what it applied of it, `untilMs` (epoch ms, by
   * the hub's clock) at the longest. `isReleased`: finalizers are removed, because no agent waits by them.
   */
  | {
      readonly kind: "remove-placed";
      readonly refs: readonly ObjectRef[];
      readonly isReleased: boolean;
      /** The newest heartbeat, where only a later one shows that the agent is alive. */
      readonly heartbeatMarker?: string;
      readonly isDone: boolean;
      readonly untilMs: number;
    }
  /** Delete these on the hub (credentials first: revoke). */
  | { readonly kind: "delete"; readonly purpose: string; readonly refs: readonly ObjectRef[] }
  /**
   * Remove the agent by the Cluster's kubeconfig, in this order. An object that does not carry the label
   * app.kubernetes.io/managed-by: rollcall is not ours and stays (a namespace that was there before the agent).
   */
  | { readonly kind: "uninstall"; readonly refs: readonly ObjectRef[] }
  /** Removes the finalizers of these objects, whichever manager set them. */
  | { readonly kind: "release"; readonly refs: readonly ObjectRef[] }
  /**
   * Ask the agent by these objects to leave, and wait until it reports that it has left, until `untilMs` (epoch ms, by
   * the hub's clock) at the latest.
   */
  | {
      readonly kind: "notify-agent";
      readonly objects: readonly KubeObject[];
      readonly isDone: boolean;
      readonly untilMs: number;
    }
  /** Nothing before this moment (epoch ms, by the hub's clock). */
  | { readonly kind: "wait"; readonly untilMs: number }
  /**
   * Ask the agent to remove itself; done when its acknowledgement is seen. `left`: what the agent reports that it could not
   * remove, printable.
   */
  | { readonly kind: "ask-agent"; readonly write: StatusWrite; readonly isDone: boolean; readonly left?: string };

/** What a decision on a registration may read. */
export interface RegistrationScene {
  /** The token whose rule applies, when the registration names one that exists. */
  readonly token?: TokenSubject;
  /** Every member of the workspace with its state. */
  readonly members: MemberIndex;
  /** Every token of the workspace. */
  readonly tokens: () => readonly TokenSubject[];
  /** Objects of a kind in the workspace that belong to no member: users created them on the hub. Absent: none. */
  readonly unowned?: (type: ResourceType) => readonly KubeObject[];
}

export type RegistrationDecision =
  /** It was answered already, or it waits for something; nothing to do now. */
  | { readonly kind: "none"; readonly recheckAfterMs?: number }
  | {
      readonly kind: "granted";
      readonly clusterName: string;
      /** Set when the Cluster must be made first. */
      readonly cluster?: Cluster;
      readonly state: MemberState;
      /** Labels that the agent proposed and that were left out, with the reason; for an event. */
      readonly notes: readonly string[];
    }
  | {
      readonly kind: "refused";
      readonly reason: string;
      /** A sentence for events. Default: `message` of what is written. */
      readonly message?: string;
      readonly write: StatusWrite;
    }
  /** A file to propose by pull request, and the status of the registration until then. */
  | { readonly kind: "proposal"; readonly cluster: Cluster; readonly write: StatusWrite };

export interface Heartbeat {
  readonly workspace: string;
  readonly cluster: string;
  readonly marker: string;
  /** For how long (ms) the agent has sent heartbeats without an interruption, as it reports. Absent: it does not report that. */
  readonly heldMs?: number;
}

/** What is known of a member from its agent; for Cluster.status. */
export interface MemberFacts {
  readonly hasJoined: boolean;
  /** False with a reason when the agent reports that its cluster is unhealthy. */
  readonly health: { readonly isHealthy: boolean; readonly reason: string; readonly message: string } | undefined;
  readonly credentials: {
    readonly status: "True" | "False" | "Unknown";
    readonly reason: string;
    readonly message: string;
  };
  readonly agent: { readonly status: "True" | "False" | "Unknown"; readonly reason: string; readonly message: string };
  /** How far the agent's clock is ahead of the hub's; undefined when that is not known. */
  readonly clockSkewSeconds?: number;
  /** Fields for Cluster.status as they are. */
  readonly status: Readonly<Partial<NonNullable<Cluster["status"]>>>;
}
