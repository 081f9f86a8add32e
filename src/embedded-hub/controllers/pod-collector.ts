import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue, queueKeyOf, splitQueueKey, timestampOf } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { isPodFinished, nodeNameOf } from "./pod-facts.ts";
import { createPodsByNode } from "./pods-by-node.ts";

/** How long a Node may be missing: it may register again. */
const quarantineMs = 40_000;

/** How long a deleted Pod without a Node keeps its phase. kube-controller-manager checks all of them this often. */
const remainsMs = 20_000;

/**
 * Marks Pods whose Node is missing as failed, and deletes them: no kubelet will. The same with a deleted Pod that was never on
 * a Node and that finalizers keep. One whose delete ended with the hub, after its marks were written, is deleted at the next
 * start. Source: Kubernetes, pkg/controller/podgc.
 */
export function startPodCollector(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "pod-garbage-collector");
  const { clock } = scope;
  const podsByNode = createPodsByNode(scope.feed);
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
      for (const key of podsByNode.keysOn(nodeName)) {
        const pod = writer.get("", "pods", splitQueueKey(key));
        if (pod !== undefined) await collect(writer, pod, lostNode(pod, timestampOf(clock.nowMs())));
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
      if (pod === undefined || !isRemains(pod)) return undefined;
      if ((pod.metadata.finalizers ?? []).length === 0) {
        await writer.remove(pod, { gracePeriodSeconds: 0 });
        return undefined;
      }
      const leftMs = Date.parse(pod.metadata.deletionTimestamp ?? "") + remainsMs - clock.nowMs();
      if (leftMs > 0) return leftMs;
      await collect(writer, pod);
      return undefined;
    },
  });
  scope.feed.on("", "pods", ({ kind, object }) => {
    const nodeName = nodeNameOf(object);
    const isNews = kind === "added" || (kind === "modified" && !isPodFinished(object));
    if (isNews && isRemains(object)) remains.add(queueKeyOf(object));
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

async function collect(writer: HubWriter, pod: KubeObject, condition?: JsonObject): Promise<void> {
  const current = isPodFinished(pod) ? pod : await writer.update(failed(pod, condition), "status");
  await writer.remove(current, { gracePeriodSeconds: 0 });
}

function failed(pod: KubeObject, condition: JsonObject | undefined): KubeObject {
  const others = objectsAt(pod, "status", "conditions").filter(({ type }) => type !== condition?.["type"]);
  const conditions = condition === undefined ? {} : { conditions: [...others, condition] };
  return { ...pod, status: { ...objectAt(pod, "status"), ...observedBy(pod), phase: "Failed", ...conditions } };
}

function lostNode(pod: KubeObject, lastTransitionTime: string): JsonObject {
  return {
    ...observedBy(pod),
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime,
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
  };
}

function observedBy({ metadata: { generation } }: KubeObject): JsonObject {
  return generation === undefined ? {} : { observedGeneration: generation };
}
