import { largestOf } from "../../../core/extremes.ts";
import { cleanRemoteText, cleanRemoteValue } from "../../../core/remote-text.ts";
import type { JsonObject } from "../../../core/json.ts";
import { isJsonEqual, isJsonObject } from "../../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../../core/read-json.ts";
import { kubefleetReasons } from "../../../model/dialects/kubefleet.ts";
import type { ClusterStatus } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import type { ConditionResult } from "../../../planning/conditions.ts";
import { findCondition, readConditions, toConditions } from "../../../planning/conditions.ts";
import type { StatusWrite } from "../../join.ts";
import { childByRef } from "../../member-state.ts";
import { memberEvents } from "./member-events.ts";
import {
  agentConditionOf,
  agentStatusOf,
  internalRef,
  isReadyToJoin,
  joinStateOf,
  memberClusterRef,
} from "./member-facts.ts";

/** The last heartbeat that a MemberCluster shows may be this old before a newer one is copied into it. */
export const mirrorIntervalMs = 120_000;
/** Another one is not worth a write before it differs by this. One of an agent that was replaced may be later than all others. */
const mirrorStepMs = 90_000;

/** Conditions that the agent's property provider gives, taken over as they are. */
const copiedConditions = ["ClusterPropertyProviderStarted", "ClusterPropertyCollectionSucceeded"];

/**
 * The MemberCluster's status: the agent's report, and what is derived from it. KubeFleet's readers find the conditions
 * that they expect, and also `Healthy`, which KubeFleet's own hub agent never sets.
 */
export function memberStatusWrites(member: Member, hub: HubFacts, status: ClusterStatus): StatusWrite[] {
  const memberCluster = childByRef(member, memberClusterRef(member));
  if (memberCluster === undefined || memberCluster.metadata.deletionTimestamp !== undefined) return [];
  const internal = childByRef(member, internalRef(member));
  const { generation } = memberCluster.metadata;
  const results = [
    evaluateReady(member, internal),
    evaluateJoined(member, internal),
    evaluateHealthy(internal, status),
  ];
  const previous = readConditions(memberCluster);
  const context = { nowMs: hub.nowMs, ...(generation === undefined ? {} : { generation }) };
  const reported = readConditions(internal);
  const copied = copiedConditions
    .flatMap((type) => findCondition(reported, type) ?? [])
    .filter(hasCleanNames)
    .map((condition) => cleanRemoteValue(condition, { secrets: [] }));
  const reportedFields = internal === undefined ? {} : reportedStatus(internal, generation);
  const conditions = [...toConditions(results, previous, context), ...copied];
  // What is written anyway shows the last heartbeat: of one that has become unresponsive it is the one that people ask for.
  const isTurn = conditions.some(({ type, status: now }) => findCondition(previous, type)?.status !== now);
  const shown = isTurn ? reportedFields : worthWriting(reportedFields, memberCluster);
  const events = memberEvents(previous, conditions);
  return [{ ref: memberClusterRef(member), status: { conditions, ...shown }, events }];
}

/** A member whose agent has left is not ready for another, until the hub asks that one to join. */
function evaluateReady(member: Member, internal: KubeObject | undefined): ConditionResult {
  const type = "ReadyToJoin";
  return isReadyToJoin(member) && joinStateOf(internal) !== "Left"
    ? {
        type,
        status: "True",
        reason: kubefleetReasons.readyToJoin,
        message: "Member cluster is ready to join the fleet",
      }
    : {
        type,
        status: "False",
        reason: kubefleetReasons.notReadyToJoin,
        message: "Member cluster is not ready to join the fleet",
      };
}

function evaluateJoined({ name }: Member, internal: KubeObject | undefined): ConditionResult {
  const type = "Joined";
  const unknown = (message: string): ConditionResult => ({
    type,
    status: "Unknown",
    reason: kubefleetReasons.joinUnknown,
    message,
  });
  if (agentStatusOf(internal) === undefined) {
    const count = objectsAt(internal, "status", "agentStatus").length;
    return unknown(`Member cluster ${name} has not reported all the expected agents, expected 1, got ${count}`);
  }
  if (agentConditionOf(internal, "Joined") === undefined)
    return unknown(`Member cluster ${name} has not reported the join condition for agent MemberAgent`);
  switch (joinStateOf(internal)) {
    case "Joined":
      return {
        type,
        status: "True",
        reason: kubefleetReasons.joined,
        message: "Member cluster has successfully joined the fleet",
      };
    case "Left":
      return { type, status: "False", reason: kubefleetReasons.left, message: "Member cluster has left the fleet" };
    case "Unknown":
      return unknown("Member agents are not in a consistent state");
  }
}

/** The result of the hub's health timer, in KubeFleet's terms. */
function evaluateHealthy(internal: KubeObject | undefined, status: ClusterStatus): ConditionResult {
  const type = "Healthy";
  const { healthy, unhealthy, heartbeatLost, noStatus, noHealth } = kubefleetReasons;
  const own = findCondition(status.conditions, type);
  const message = own?.message ?? "";
  switch (own?.status) {
    case "True":
      return { type, status: "True", reason: healthy, message };
    case "False":
      return { type, status: "False", reason: unhealthy, message };
    default: {
      const isUnresponsive = own?.reason === "HeartbeatMissed";
      const isMute = agentStatusOf(internal) === undefined;
      return {
        type,
        status: "Unknown",
        reason: isUnresponsive ? heartbeatLost : isMute ? noStatus : noHealth,
        message,
      };
    }
  }
}

/** The agent's blocks, its conditions under the generation of the MemberCluster. */
function reportedStatus(internal: KubeObject, generation: number | undefined): JsonObject {
  const status = objectAt(internal, "status") ?? {};
  const agentStatus = objectsAt(status, "agentStatus").map((agent) => ({
    ...agent,
    ...(agent["conditions"] === undefined
      ? {}
      : {
          conditions: objectsAt(agent, "conditions")
            .filter(hasCleanNames)
            .map((condition) => ({
              ...condition,
              ...(generation === undefined ? {} : { observedGeneration: generation }),
            })),
        }),
  }));
  const copied = ["resourceUsage", "properties", "namespaces"].flatMap((key): [string, JsonObject][] => {
    const block = objectAt(status, key);
    return block === undefined || Object.keys(block).length === 0 ? [] : [[key, block]];
  });
  const reportedFields = { ...Object.fromEntries(copied), ...(agentStatus.length === 0 ? {} : { agentStatus }) };
  return cleanRemoteValue(reportedFields, { secrets: [] });
}

/** A type or reason that a text was taken from is none any more, and an API server refuses the whole status with it. */
function hasCleanNames(condition: object): boolean {
  const names = [textAt(condition, "type") ?? "", textAt(condition, "reason") ?? ""];
  return names.every((name) => cleanRemoteText(name, { secrets: [] }) === name);
}

/** Keeps the current status while it differs only by times and these are not old. */
function worthWriting(reportedFields: JsonObject, memberCluster: KubeObject): JsonObject {
  const shown = objectAt(memberCluster, "status") ?? {};
  const before = Object.fromEntries(Object.keys(reportedFields).map((key) => [key, shown[key]]));
  const isSame = isJsonEqual(withoutTimes(reportedFields), withoutTimes(before));
  return isSame && Math.abs(newestHeartbeatMs(reportedFields) - newestHeartbeatMs(shown)) < mirrorStepMs
    ? before
    : reportedFields;
}

function newestHeartbeatMs(status: unknown): number {
  const times = objectsAt(status, "agentStatus").map((agent) =>
    Date.parse(textAt(agent, "lastReceivedHeartbeat") ?? ""),
  );
  return largestOf(
    times.filter((time) => !Number.isNaN(time)),
    0,
  );
}

/** The agent reports nothing new but the time. */
export function isOnlyKubefleetHeartbeat(before: KubeObject | undefined, object: KubeObject | undefined): boolean {
  if (before === undefined || object === undefined) return false;
  if (before.metadata.generation !== object.metadata.generation) return false;
  if (!isJsonEqual(before.metadata.labels, object.metadata.labels)) return false;
  if (newestHeartbeatMs(before["status"]) === newestHeartbeatMs(object["status"])) return false;
  return isJsonEqual(withoutTimes(before["status"]), withoutTimes(object["status"]));
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== "lastReceivedHeartbeat" && key !== "observationTime");
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutTimes(item)]));
}
