import type { ClusterStatus } from "../model/generated/cluster.ts";
import type { HubFacts, Member } from "../model/member.ts";
import type { ConditionResult } from "./conditions.ts";

/** What the health timer knows of a member's heartbeats. */
export type HeartbeatState =
  /** It sent a heartbeat within its window. */
  | { readonly kind: "alive" }
  /** A full window was watched and no heartbeat came. */
  | { readonly kind: "unresponsive"; readonly forMs: number }
  /** No full window was watched yet, and no heartbeat came meanwhile: the previous report stays. */
  | { readonly kind: "unwatched" };

/** What the protocol reads from the agent's objects. Structural twin of join's MemberFacts. */
export interface AgentFacts {
  readonly hasJoined: boolean;
  readonly health: { readonly isHealthy: boolean; readonly reason: string; readonly message: string } | undefined;
  readonly credentials: Omit<ConditionResult, "type">;
  readonly agent: Omit<ConditionResult, "type">;
  /** How far the agent's clock is ahead of the hub's, in seconds; undefined when that is not known. */
  readonly clockSkewSeconds?: number;
  readonly status: Readonly<Partial<ClusterStatus>>;
}

/** The state of the hub's own installation of the agent; absent when the hub installs nothing. */
export interface InstallState {
  readonly kind: "installed" | "pending" | "failed";
  readonly reason: string;
  readonly message: string;
}

/** Why the hub does nothing for a Cluster. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

export interface ClusterStatusInputs {
  readonly member: Member;
  readonly hub: HubFacts;
  readonly facts: AgentFacts;
  readonly heartbeat: HeartbeatState;
  /** Seconds between two heartbeats as the agent reports them. */
  readonly agentPeriodSeconds?: number;
  readonly install?: InstallState;
  readonly refusal?: Refusal;
  /** What the API server refuses to let the hub do for it. */
  readonly failure?: Refusal;
  /** Another writer keeps changing what the hub makes for it. */
  readonly fight?: Refusal;
  readonly leave?: NonNullable<ClusterStatus["leave"]>;
  /** The offboarding has revoked the credentials. Default false. */
  readonly isRevokedByOffboarding?: boolean;
}
