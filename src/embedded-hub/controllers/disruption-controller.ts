import { describeError } from "../../core/errors.ts";
import { isJsonEqual } from "../../core/json.ts";
import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { requirementsOf } from "../selectors/object-selector.ts";
import { controllerQueue, splitQueueKey, timestampOf } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { disruptionStatus, failedDisruptionStatus } from "./disruption-status.ts";
import type { DisruptionResult } from "./disruption-status.ts";
import { createEventRecorder } from "./event-recorder.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { followLabelSelection } from "./label-selection.ts";
import type { LabelSelection } from "./label-selection.ts";
import { expectedScale } from "./pod-scale.ts";

interface Parts {
  readonly scope: ControllerScope;
  readonly writer: HubWriter;
  readonly record: EventRecorder;
  readonly selection: LabelSelection;
}

/** Keeps the status of PodDisruptionBudgets, by which evictions are refused. Source: Kubernetes, pkg/controller/disruption. */
export function startDisruptionController(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "disruption-controller");
  const record = createEventRecorder(scope, "controllermanager");
  const queue = controllerQueue({ scope, name: "disruption", work: (key) => sync(parts, key) });
  const selection = followLabelSelection({
    scope,
    writer,
    selecting: { group: "policy", plural: "poddisruptionbudgets" },
    selected: { group: "", plural: "pods" },
    requirementsOf: (budget) => requirementsOf(objectAt(budget, "spec", "selector")),
    enqueue: (key) => queue.add(key),
  });
  const parts: Parts = { scope, writer, record, selection };
  return { stop: () => queue.stop() };
}

async function sync(parts: Parts, key: string): Promise<number | undefined> {
  const { scope, writer, record, selection } = parts;
  const budget = writer.get("policy", "poddisruptionbudgets", splitQueueKey(key));
  if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
  const pods = await selection.selectedBy(budget);
  const { status, recheckInMs } = evaluate(scope, budget, pods, (message) =>
    record(budget, { type: "Warning", reason: "CalculateExpectedPodCountFailed", message }),
  );
  if (isJsonEqual(objectAt(budget, "status") ?? {}, status)) return recheckInMs;
  // Only with a new status: a restart of the hub is no reason for an Event.
  if (pods.length === 0) record(budget, { type: "Normal", reason: "NoPods", message: "No matching pods found" });
  await writer.update({ ...budget, status }, "status");
  return recheckInMs;
}

function evaluate(
  { operations, clock }: ControllerScope,
  budget: KubeObject,
  pods: readonly KubeObject[],
  onFailure: (message: string) => void,
): DisruptionResult {
  const nowMs = clock.nowMs();
  const now = timestampOf(nowMs);
  try {
    return disruptionStatus({ budget, pods, nowMs, now, scale: () => expectedScale(operations, pods) });
  } catch (error) {
    const status = failedDisruptionStatus({ budget, now }, describeError(error));
    if (!isJsonEqual(objectAt(budget, "status") ?? {}, status)) {
      onFailure(`Failed to calculate the number of expected pods: ${describeError(error)}`);
    }
    return { status, recheckInMs: undefined };
  }
}
