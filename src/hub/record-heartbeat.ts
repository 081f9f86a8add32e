import type { JoinProtocol } from "../join/join.ts";
import type { Member } from "../model/member.ts";
import { heartbeatOf } from "../planning/cluster-status.ts";
import type { HealthTimer } from "./health.ts";
import { isOwnManager } from "../planning/edits-by-hand.ts";
import { writtenAtMs } from "./watched-time.ts";

/** Passes the newest heartbeat of a member to the health timer. */
export function recordHeartbeat(health: Pick<HealthTimer, "observe">, protocol: JoinProtocol, member: Member): void {
  const { periodSeconds, failureThreshold } = heartbeatOf(member.cluster, protocol.agentPeriodSeconds(member));
  const carrier = member.children.find((child) => protocol.heartbeatIn(child) !== undefined);
  const marker = carrier && protocol.heartbeatIn(carrier)?.marker;
  const written = (): number | undefined => carrier && writtenAtMs(carrier, isOwnManager);
  const windowMs = periodSeconds * failureThreshold * 1000;
  health.observe(`${member.workspace}/${member.name}`, windowMs, marker, written);
}
