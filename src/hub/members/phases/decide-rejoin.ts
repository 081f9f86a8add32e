import { toTime } from "../../../planning/conditions.ts";
import type { HubPorts } from "../../hub-ports.ts";
import { readKubeconfig } from "../downstream.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Records whether the hub installs the agent again although it joined before: that needs a kubeconfig. */
export async function decideRejoin(
  scope: MemberScope,
  { view, health, log }: Pick<HubPorts, "view" | "health" | "log">,
): Promise<PhaseResult> {
  const { member, hub, key } = scope;
  const { rejoin, ...state } = member.state ?? {};
  const { reason, changesAtMs } = scope.protocol.rejoinOf(member, hub, health.stateOf(key));
  scope.rejoinDueAtMs = changesAtMs;
  if (reason === rejoin || (rejoin === undefined && readKubeconfig(view, member).kind !== "found")) return next;
  const rejoinAt = toTime(hub.nowMs);
  await scope.write.writeState(member, reason === undefined ? state : { ...state, rejoin: reason, rejoinAt });
  if (reason !== undefined) log.warn("the hub installs an agent again", { cluster: key, reason });
  return next;
}
