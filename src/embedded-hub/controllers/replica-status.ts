import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectsAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { podAvailableAtMs, podReadySinceMs } from "./pod-facts.ts";

export interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

/** The status of an object with these active Pods. Source: Kubernetes, pkg/controller/replicaset calculateStatus. */
export function replicaStatus(
  set: KubeObject,
  pods: readonly KubeObject[],
  at: { readonly nowMs: number; readonly now: string; readonly failure: ReplicaFailure | undefined },
): JsonObject {
  const templateLabels = Object.entries(textMapAt(set, "spec", "template", "metadata", "labels"));
  const minReadySeconds = numberAt(set, "spec", "minReadySeconds") ?? 0;
  const fullyLabeled = pods.filter(({ metadata }) =>
    templateLabels.every(([key, value]) => metadata.labels?.[key] === value),
  );
  const ready = pods.filter((pod) => podReadySinceMs(pod) !== undefined);
  const available = ready.filter((pod) => (podAvailableAtMs(pod, minReadySeconds) ?? Infinity) <= at.nowMs);
  const conditions = conditionsOf(set, at);
  return {
    ...count("availableReplicas", available.length),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...count("fullyLabeledReplicas", fullyLabeled.length),
    ...count("observedGeneration", set.metadata.generation ?? 0),
    ...count("readyReplicas", ready.length),
    replicas: pods.length,
  };
}

/** An existing failure keeps its text and time until it is over. */
function conditionsOf(
  set: KubeObject,
  { now, failure }: { readonly now: string; readonly failure: ReplicaFailure | undefined },
): readonly JsonObject[] {
  const old = objectsAt(set, "status", "conditions");
  const others = old.filter((condition) => condition["type"] !== "ReplicaFailure");
  if (failure === undefined) return others;
  const known = old.find((condition) => condition["type"] === "ReplicaFailure");
  return [...others, known ?? { type: "ReplicaFailure", status: "True", lastTransitionTime: now, ...failure }];
}

/** Counts of zero are left out, as Go's omitempty does. */
function count(name: string, value: number): JsonObject {
  return value === 0 ? {} : { [name]: value };
}
