import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue, queueKeyOf, splitQueueKey, timestampOf } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { isPodFinished } from "./pod-facts.ts";

/** How long a Node may be missing: it may register again. */
const quarantineMs = 40_000;

/**
 * Marks Pods whose Node is missing as failed, and deletes them: no kubelet will. A Pod without a Node whose delete broke
 * off with the hub, after its marks were written, goes at the next start. Source: Kubernetes, pkg/controller/podgc.
 */
export function startPodCollector(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "pod-garbage-collector");
  const { clock } = scope;
  /** Missing Nodes by name, with the time since when (monotonic ms). */
  const missingSinceMs = new Map<string, number>();
  const isThere = (name: string): boolean => writer.get("", "nodes", { name }) !== undefined;
  const queue = controllerQueue({
    scope,
    name: "pod-collector",
    work: async (nodeName) => {
      if (isThere(nodeName)) {
        missingSinceMs.delete(nodeName);
        return undefined;
      }
      const nowMs = clock.monotonicMs();
      const sinceMs = missingSinceMs.get(nodeName) ?? nowMs;
      missingSinceMs.set(nodeName, sinceMs);
      const leftMs = sinceMs + quarantineMs - nowMs;
      if (leftMs > 0) return leftMs;
      for (const pod of writer.list("", "pods")) {
        if (nodeNameOf(pod) === nodeName) await collect(writer, pod, timestampOf(clock.nowMs()));
      }
      missingSinceMs.delete(nodeName);
      return undefined;
    },
  });
  const remains = controllerQueue({
    scope,
    name: "pod-remains",
    work: async (key) => {
      const pod = writer.get("", "pods", splitQueueKey(key));
      if (pod !== undefined && isRemains(pod)) await writer.remove(pod, { gracePeriodSeconds: 0 });
    },
  });
  scope.feed.on("", "pods", ({ kind, object }) => {
    const nodeName = nodeNameOf(object);
    if (kind === "added" && isRemains(object)) remains.add(queueKeyOf(object));
    if (kind !== "deleted" && nodeName !== "" && !missingSinceMs.has(nodeName) && !isThere(nodeName)) {
      queue.add(nodeName);
    }
  });
  scope.feed.on("", "nodes", ({ kind, object }) => {
    if (kind !== "modified") queue.add(object.metadata.name);
  });
  return { stop: async () => void (await Promise.all([queue.stop(), remains.stop()])) };
}

/** A Pod that is being deleted and was never on a Node. */
function isRemains(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined && nodeNameOf(pod) === "";
}

async function collect(writer: HubWriter, pod: KubeObject, now: string): Promise<void> {
  const current = isPodFinished(pod) ? pod : await writer.update(failed(pod, now), "status");
  await writer.remove(current, { gracePeriodSeconds: 0 });
}

function failed(pod: KubeObject, lastTransitionTime: string): KubeObject {
  const others = objectsAt(pod, "status", "conditions").filter(({ type }) => type !== "DisruptionTarget");
  const { generation } = pod.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const condition = {
    ...observed,
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime,
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
  };
  return {
    ...pod,
    status: { ...objectAt(pod, "status"), ...observed, phase: "Failed", conditions: [...others, condition] },
  };
}

function nodeNameOf(pod: KubeObject): string {
  return textAt(pod, "spec", "nodeName") ?? "";
}
