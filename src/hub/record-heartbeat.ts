import type { JoinProtocol } from "../join/join.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import type { MemberState } from "../model/member-state.ts";
import { heartbeatOf } from "../planning/cluster-settings.ts";
import { findCondition } from "../planning/conditions.ts";
import type { HealthTimer } from "./health.ts";
import { isOwnManager } from "../planning/edits-by-hand.ts";
import { writtenAtMs } from "./watched-time.ts";

/**
 * The object that carries the member's own heartbeat. Its place counts and no label: an agent may label its own object as
 * one of another member, and would then report for it.
 */
export function heartbeatObjectOf(
  protocol: Pick<JoinProtocol, "heartbeatRef" | "heartbeatIn">,
  member: Member,
): KubeObject | undefined {
  const { type, namespace, name } = protocol.heartbeatRef(member);
  return member.children.find(
    (child) =>
      child.metadata.name === name &&
      (!type.isNamespaced || child.metadata.namespace === namespace) &&
      protocol.heartbeatIn(child) !== undefined,
  );
}

/**
 * Whether missed heartbeats of an agent matter: it has come, or the hub has granted it the cluster. Of a large fleet that
 * waits for its agents, no cluster is reconciled when the time for heartbeats is over.
 */
export function canBeMissed(cluster: Pick<Cluster, "status"> | undefined, state: MemberState | undefined): boolean {
  const hasJoined = findCondition(cluster?.status?.conditions, "Joined")?.status === "True";
  return hasJoined || state?.join !== undefined || state?.install !== undefined;
}

/** Passes the newest heartbeat of a member to the health timer. */
export function recordHeartbeat(health: Pick<HealthTimer, "observe">, protocol: JoinProtocol, member: Member): void {
  const { periodSeconds, failureThreshold } = heartbeatOf(member.cluster, protocol.agentPeriodSeconds(member));
  const carrier = heartbeatObjectOf(protocol, member);
  const marker = carrier && protocol.heartbeatIn(carrier)?.marker;
  const written = (): number | undefined => carrier && writtenAtMs(carrier, isOwnManager);
  const windowMs = periodSeconds * failureThreshold * 1000;
  health.observe(`${member.workspace}/${member.name}`, windowMs, marker, written);
}
