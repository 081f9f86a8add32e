import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { maxUnavailableOf, progressDeadlineSeconds, specReplicas, statusCount, sumOf } from "./deployment-facts.ts";

/** Source: Kubernetes API, apps/v1 DeploymentCondition. */
export interface DeploymentCondition {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export interface RolloutState {
  readonly deployment: KubeObject;
  readonly newSet: KubeObject | undefined;
  readonly oldSets: readonly KubeObject[];
  readonly nowMs: number;
  /** The same moment in RFC 3339. */
  readonly now: string;
}

/** Counts and Available, without evaluating progress: for deployments that are paused, scaled or deleted. */
export function plainStatus(state: RolloutState): JsonObject {
  const { deployment, newSet, oldSets, now } = state;
  const all = [...oldSets, ...(newSet === undefined ? [] : [newSet])];
  const available = sumOf(all, (set) => statusCount(set, "availableReplicas"));
  const isAvailable = available >= specReplicas(deployment) - maxUnavailableOf(deployment);
  const counts = {
    availableReplicas: available,
    observedGeneration: deployment.metadata.generation ?? 0,
    readyReplicas: sumOf(all, (set) => statusCount(set, "readyReplicas")),
    replicas: sumOf(all, (set) => statusCount(set, "replicas")),
    unavailableReplicas: Math.max(0, sumOf(all, specReplicas) - available),
    updatedReplicas: newSet === undefined ? 0 : statusCount(newSet, "replicas"),
  };
  const collisionCount = numberAt(deployment, "status", "collisionCount");
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0)),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: setCondition(objectsAt(deployment, "status", "conditions"), now, {
      type: "Available",
      status: isAvailable ? "True" : "False",
      reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      message: `Deployment ${isAvailable ? "has" : "does not have"} minimum availability.`,
    }),
  };
}

/** The same during a rollout: with Progressing and ReplicaFailure. Source: deployment/progress.go syncRolloutStatus. */
export function rolloutStatus(state: RolloutState): JsonObject {
  const { deployment, newSet, oldSets, now } = state;
  const status = plainStatus(state);
  const conditions = progressConditions(state, status);
  const failure = [...(newSet === undefined ? [] : [newSet]), ...oldSets]
    .flatMap((set) => objectsAt(set, "status", "conditions"))
    .find((condition) => condition["type"] === "ReplicaFailure");
  if (failure === undefined) return { ...status, conditions: withoutCondition(conditions, "ReplicaFailure") };
  const known = objectsAt(deployment, "status", "conditions").find((one) => one["type"] === "ReplicaFailure");
  if (known?.["status"] === failure["status"] && known?.["reason"] === failure["reason"])
    return { ...status, conditions };
  const { lastTransitionTime, ...rest } = failure;
  const copied = { ...rest, lastUpdateTime: lastTransitionTime ?? now, lastTransitionTime: lastTransitionTime ?? now };
  return { ...status, conditions: [...withoutCondition(conditions, "ReplicaFailure"), copied] };
}

/** True when all that is wanted is there, updated and available, and nothing else. */
export function isComplete(deployment: KubeObject, status: JsonObject): boolean {
  const wanted = specReplicas(deployment);
  return (
    ["updatedReplicas", "replicas", "availableReplicas"].every((field) => (numberAt(status, field) ?? 0) === wanted) &&
    (numberAt(status, "observedGeneration") ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** When to check for a missed deadline, in ms from now; undefined when there is none to miss. */
export function progressCheckInMs(state: RolloutState, status: JsonObject): number | undefined {
  const { deployment, nowMs } = state;
  const deadline = progressDeadlineSeconds(deployment);
  const current = conditionOf(objectsAt(status, "conditions"), "Progressing");
  if (deadline === undefined || current === undefined) return undefined;
  if (isComplete(deployment, status) || current["reason"] === "ProgressDeadlineExceeded") return undefined;
  const dueMs = updatedAtMs(current) + deadline * 1000 - nowMs;
  // One more second, so that times cut to seconds do not cause a check that is too early.
  return Math.max(dueMs, 0) + 1000;
}

export function conditionOf(conditions: readonly JsonObject[], type: string): JsonObject | undefined {
  return conditions.find((condition) => condition["type"] === type);
}

function withoutCondition(conditions: readonly JsonObject[], type: string): readonly JsonObject[] {
  return conditions.filter((condition) => condition["type"] !== type);
}

/** A condition with the same status and reason is not changed; a new message does not count. */
export function setCondition(
  conditions: readonly JsonObject[],
  now: string,
  condition: DeploymentCondition,
): readonly JsonObject[] {
  const known = conditionOf(conditions, condition.type);
  if (known?.["status"] === condition.status && known["reason"] === condition.reason) return conditions;
  const since = known?.["status"] === condition.status ? textAt(known, "lastTransitionTime") : undefined;
  return [
    ...withoutCondition(conditions, condition.type),
    { ...condition, lastUpdateTime: now, lastTransitionTime: since ?? now },
  ];
}

function progressConditions(state: RolloutState, status: JsonObject): readonly JsonObject[] {
  const { deployment, newSet, now } = state;
  const conditions = objectsAt(status, "conditions");
  if (progressDeadlineSeconds(deployment) === undefined) return withoutCondition(conditions, "Progressing");
  const current = conditionOf(conditions, "Progressing");
  const isSettled =
    (numberAt(status, "replicas") ?? 0) === (numberAt(status, "updatedReplicas") ?? 0) &&
    current?.["reason"] === "NewReplicaSetAvailable";
  if (isSettled) return conditions;
  const subject =
    newSet === undefined
      ? `Deployment ${JSON.stringify(deployment.metadata.name)}`
      : `ReplicaSet ${JSON.stringify(newSet.metadata.name)}`;
  const condition = (positive: boolean, reason: string, text: string): DeploymentCondition => ({
    type: "Progressing",
    status: positive ? "True" : "False",
    reason,
    message: `${subject} ${text}`,
  });
  if (isComplete(deployment, status)) {
    return setCondition(conditions, now, condition(true, "NewReplicaSetAvailable", "has successfully progressed."));
  }
  if (hasProgressed(deployment, status)) {
    const progressing = condition(true, "ReplicaSetUpdated", "is progressing.");
    const since = current?.["status"] === "True" ? textAt(current, "lastTransitionTime") : undefined;
    // Progress renews the time of the last update even when nothing else about the condition changes.
    const renewed = { ...progressing, lastUpdateTime: now, lastTransitionTime: since ?? now };
    return [...withoutCondition(conditions, "Progressing"), renewed];
  }
  if (hasTimedOut(state, current)) {
    return setCondition(conditions, now, condition(false, "ProgressDeadlineExceeded", "has timed out progressing."));
  }
  return conditions;
}

function hasProgressed(deployment: KubeObject, status: JsonObject): boolean {
  const before = (field: string) => statusCount(deployment, field);
  const after = (field: string) => numberAt(status, field) ?? 0;
  return (
    after("updatedReplicas") > before("updatedReplicas") ||
    after("replicas") - after("updatedReplicas") < before("replicas") - before("updatedReplicas") ||
    after("readyReplicas") > before("readyReplicas") ||
    after("availableReplicas") > before("availableReplicas")
  );
}

function hasTimedOut({ deployment, nowMs }: RolloutState, current: JsonObject | undefined): boolean {
  const deadline = progressDeadlineSeconds(deployment);
  if (deadline === undefined || current === undefined || current["reason"] === "NewReplicaSetAvailable") return false;
  if (current["reason"] === "ProgressDeadlineExceeded") return true;
  return updatedAtMs(current) + deadline * 1000 < nowMs;
}

function updatedAtMs(condition: JsonObject): number {
  return Date.parse(textAt(condition, "lastUpdateTime") ?? "") || 0;
}
