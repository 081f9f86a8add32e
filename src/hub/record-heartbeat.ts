import type { JoinProtocol } from "../join/join.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { heartbeatOf } from "../planning/cluster-status.ts";
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

/** Passes the newest heartbeat of a member to the health timer. */
export function recordHeartbeat(health: Pick<HealthTimer, "observe">, protocol: JoinProtocol, member: Member): void {
  const { periodSeconds, failureThreshold } = heartbeatOf(member.cluster, protocol.agentPeriodSeconds(member));
  const carrier = heartbeatObjectOf(protocol, member);
  const marker = carrier && protocol.heartbeatIn(carrier)?.marker;
  const written = (): number | undefined => carrier && writtenAtMs(carrier, isOwnManager);
  const windowMs = periodSeconds * failureThreshold * 1000;
  health.observe(`${member.workspace}/${member.name}`, windowMs, marker, written);
}
