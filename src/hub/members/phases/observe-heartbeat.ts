import type { HubPorts } from "../../hub-ports.ts";
import { recordHeartbeat } from "../../record-heartbeat.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Passes the newest heartbeat of the member to the health timer. */
export function observeHeartbeat(
  { protocol, member }: Pick<MemberScope, "protocol" | "member">,
  { health }: { readonly health: Pick<HubPorts["health"], "observe"> },
): PhaseResult {
  recordHeartbeat(health, protocol, member);
  return next;
}
