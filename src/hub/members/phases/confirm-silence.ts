import { refOf } from "../../../model/kubernetes.ts";
import { resourceTypeOf } from "../../../model/resource-types.ts";
import { findCondition } from "../../../planning/conditions.ts";
import type { HubPorts } from "../../hub-ports.ts";
import { heartbeatObjectOf, recordHeartbeat } from "../../record-heartbeat.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/**
 * Asks the API server once before an agent is reported unresponsive: a watch that brings nothing may have lost its connection.
 * An API server that does not answer ends the pass, and the agent's state stays as it is.
 */
export async function confirmSilence(
  scope: Pick<MemberScope, "protocol" | "member" | "key" | "signal" | "readAgain">,
  { health, hubApi, view }: ConfirmPorts,
): Promise<PhaseResult> {
  const { protocol, member, key, signal } = scope;
  const isReported = findCondition(member.cluster.status?.conditions, "Healthy")?.reason === "HeartbeatMissed";
  if (isReported || health.stateOf(key).kind !== "unresponsive") return next;
  const carrier = heartbeatObjectOf(protocol, member);
  if (carrier === undefined) return next;
  const type = resourceTypeOf(carrier);
  if (type === undefined) return next;
  const live = await hubApi.get(refOf(type, carrier), { signal });
  if (live === undefined || live.metadata.resourceVersion === carrier.metadata.resourceVersion) return next;
  view.recordWritten(type, live);
  recordHeartbeat(health, protocol, scope.readAgain());
  return next;
}

interface ConfirmPorts {
  readonly health: Pick<HubPorts["health"], "observe" | "stateOf">;
  readonly hubApi: Pick<HubPorts["hubApi"], "get">;
  readonly view: Pick<HubPorts["view"], "recordWritten">;
}
