import { ownValue } from "../../core/own-value.ts";
import { largestOf } from "../../core/extremes.ts";
import { numberAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Neither finished nor being deleted. */
export function isPodActive(pod: KubeObject): boolean {
  return !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isPodFinished(pod: KubeObject): boolean {
  const phase = textAt(pod, "status", "phase");
  return phase === "Succeeded" || phase === "Failed";
}

/** Since when the Pod is ready (ms), or undefined while it is not. */
export function podReadySinceMs(pod: KubeObject): number | undefined {
  const ready = objectsAt(pod, "status", "conditions").find((condition) => condition["type"] === "Ready");
  if (ready?.["status"] !== "True") return undefined;
  return Date.parse(textAt(ready, "lastTransitionTime") ?? "") || 0;
}

/** When the Pod is available: ready for `minReadySeconds`. Undefined while it is not ready. */
export function podAvailableAtMs(pod: KubeObject, minReadySeconds: number): number | undefined {
  const since = podReadySinceMs(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
}

/**
 * Pods in the order in which a scale-down takes them: unassigned, pending, not ready, cheapest, most on one node, ready
 * for the shortest time, most restarts, youngest. Source: Kubernetes, pkg/controller ActivePodsWithRanks.
 */
export function sortForDeletion(pods: readonly KubeObject[]): KubeObject[] {
  const onNode = new Map<string, number>();
  for (const pod of pods) onNode.set(nodeNameOf(pod), (onNode.get(nodeNameOf(pod)) ?? 0) + 1);
  return [...pods].sort(
    (a, b) =>
      Number(nodeNameOf(a) !== "") - Number(nodeNameOf(b) !== "") ||
      phaseOf(a) - phaseOf(b) ||
      Number(podReadySinceMs(a) !== undefined) - Number(podReadySinceMs(b) !== undefined) ||
      deletionCostOf(a) - deletionCostOf(b) ||
      (onNode.get(nodeNameOf(b)) ?? 0) - (onNode.get(nodeNameOf(a)) ?? 0) ||
      (podReadySinceMs(b) ?? 0) - (podReadySinceMs(a) ?? 0) ||
      restartsOf(b) - restartsOf(a) ||
      createdMs(b) - createdMs(a),
  );
}

/** Empty for a Pod that no node has. */
export function nodeNameOf(pod: KubeObject): string {
  return textAt(pod, "spec", "nodeName") ?? "";
}

function phaseOf(pod: KubeObject): number {
  return ownValue(phaseOrder, textAt(pod, "status", "phase") ?? "Pending") ?? 0;
}

function deletionCostOf({ metadata }: KubeObject): number {
  const cost = Number(metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? "0");
  return Number.isInteger(cost) ? cost : 0;
}

function restartsOf(pod: KubeObject): number {
  const counts = objectsAt(pod, "status", "containerStatuses").map((status) => numberAt(status, "restartCount") ?? 0);
  return largestOf(counts, 0);
}

function createdMs({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}
