import type { MemberPorts, MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";
import { clusterStatusOf, writeProtocolStatuses } from "./write-status.ts";

/**
 * Writes the statuses of the protocol before the hub installs an agent again: the new agent must not find there an offer
 * of what ran before, which would take it back to that.
 */
export async function withdrawOffer(
  scope: MemberScope,
  ports: Pick<MemberPorts, "events" | "view" | "health" | "childFights">,
): Promise<PhaseResult> {
  const { protocol, member, hub } = scope;
  if (member.state?.rejoin === undefined) return next;
  await writeProtocolStatuses(scope, ports, protocol.statusWrites(member, hub, clusterStatusOf(scope, ports, {})));
  return next;
}
