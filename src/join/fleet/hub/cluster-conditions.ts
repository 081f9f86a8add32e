import type { JsonObject } from "../../../core/json.ts";
import { objectsAt, textAt } from "../../../core/read-json.ts";
import type { ClusterStatus } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { findCondition, toTime } from "../../../planning/conditions.ts";
import { isHubInitiated } from "../../member-state.ts";

/** A condition of Fleet's kinds; an empty message is left out. */
interface Wanted {
  readonly type: string;
  readonly isTrue: boolean;
  readonly message: string;
}

/**
 * The conditions that Fleet's controllers write on its Cluster. Ready is also False before the agent has joined and
 * while it misses its heartbeats. Its message is that of Rollcall's own Cluster, so that the column STATUS shows the
 * problem.
 */
export function fleetConditions(
  {
    fleetCluster,
    member,
    bundles,
  }: { readonly fleetCluster: KubeObject; readonly member: Member; readonly bundles: string },
  hub: HubFacts,
  status: ClusterStatus,
): JsonObject[] {
  const joined = findCondition(status.conditions, "Joined");
  const waiting = joined?.status === "True" ? "" : (joined?.message ?? "The agent has not joined yet.");
  const isImported = !isHubInitiated(member) || member.state?.install !== undefined;
  const wanted: readonly Wanted[] = [
    { type: "Ready", ...describe([describeAgent(status, waiting), bundles]) },
    { type: "Imported", ...describe([isImported ? "" : waiting]) },
    { type: "Reconciled", ...describe([]) },
    { type: "Processed", ...describe([]) },
  ];
  const previous = objectsAt(fleetCluster, "status", "conditions");
  return wanted.map((condition) => withTimes(condition, previous, toTime(hub.nowMs)));
}

function describe(texts: readonly string[]): Omit<Wanted, "type"> {
  const message = texts.filter((text) => text !== "").join("; ");
  return { isTrue: message === "", message };
}

function describeAgent({ conditions }: ClusterStatus, waiting: string): string {
  const healthy = findCondition(conditions, "Healthy");
  return waiting === "" && healthy?.reason === "HeartbeatMissed" ? healthy.message : waiting;
}

/** Times move only with what they are about, so that the same state writes nothing. */
function withTimes({ type, isTrue, message }: Wanted, previous: readonly JsonObject[], now: string): JsonObject {
  const before = previous.find((condition) => condition["type"] === type);
  const status = isTrue ? "True" : "False";
  const isSame = textAt(before, "status") === status;
  const isEqual = isSame && (textAt(before, "message") ?? "") === message;
  return {
    type,
    status,
    ...(message === "" ? {} : { message }),
    lastUpdateTime: (isEqual ? textAt(before, "lastUpdateTime") : undefined) ?? now,
    lastTransitionTime: (isSame ? textAt(before, "lastTransitionTime") : undefined) ?? now,
  };
}
