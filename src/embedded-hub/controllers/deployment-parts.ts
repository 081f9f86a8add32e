import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { timestampOf } from "./controller-scope.ts";
import type { ControllerScope } from "./controller-scope.ts";
import { setCondition } from "./deployment-status.ts";
import type { DeploymentCondition, RolloutState } from "./deployment-status.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { HubWriter } from "./hub-writer.ts";
import type { StrayIndex } from "./stray-index.ts";

/** What the steps of a rollout work with. */
export interface DeploymentParts {
  readonly scope: ControllerScope;
  readonly writer: HubWriter;
  readonly record: EventRecorder;
  readonly strays: StrayIndex;
}

/** The ReplicaSets of a deployment: the one with its present template, and the others. */
export interface OwnedSets {
  readonly newSet: KubeObject | undefined;
  readonly oldSets: readonly KubeObject[];
}

export async function writeStatus(
  { writer }: DeploymentParts,
  deployment: KubeObject,
  status: JsonObject,
): Promise<void> {
  if (isJsonEqual(objectAt(deployment, "status") ?? {}, status)) return;
  await writer.update({ ...deployment, status }, "status");
}

export function statusWith(
  { scope }: DeploymentParts,
  deployment: KubeObject,
  condition: DeploymentCondition,
): JsonObject {
  const status = objectAt(deployment, "status");
  const now = timestampOf(scope.clock.nowMs());
  return { ...status, conditions: setCondition(objectsAt(status, "conditions"), now, condition) };
}

export function progressing(reason: string, message: string): DeploymentCondition {
  return { type: "Progressing", status: "True", reason, message };
}

export function stateOf(
  { scope }: DeploymentParts,
  deployment: KubeObject,
  { newSet, oldSets }: OwnedSets,
): RolloutState {
  const nowMs = scope.clock.nowMs();
  return { deployment, newSet, oldSets, nowMs, now: timestampOf(nowMs) };
}
