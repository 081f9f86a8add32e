import type { KubeObject } from "../../model/kubernetes.ts";
import type { ControllerScope } from "./controller-scope.ts";
import { queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { HubWriter } from "./hub-writer.ts";

export interface PodSelectionOptions {
  readonly scope: ControllerScope;
  readonly writer: HubWriter;
  /** The kind whose objects select Pods of their namespace. */
  readonly group: string;
  readonly plural: string;
  readonly selects: (selecting: KubeObject, pod: KubeObject) => boolean;
  /** Called with the queue key of each object to look at: it changed, or a Pod that it selects or selected did. */
  readonly enqueue: (key: string) => void;
}

export interface PodSelection {
  /** The Pods that an object selects now. */
  podsOf(selecting: KubeObject): readonly KubeObject[];
  /** Queue keys of the objects that selected the Pod when it changed last. */
  keysOf(pod: KubeObject): readonly string[];
}

/** Follows objects that select Pods by labels. A Pod whose labels changed counts for those that it was selected by too. */
export function followPodSelection(options: PodSelectionOptions): PodSelection {
  const { scope, writer, group, plural, selects, enqueue } = options;
  /** Only Pods that are selected. */
  const keysByPod = new Map<string, readonly string[]>();
  scope.feed.on(group, plural, ({ object }) => enqueue(queueKeyOf(object)));
  scope.feed.on("", "pods", ({ kind, object }) => {
    const podKey = queueKeyOf(object);
    const { namespace = "" } = splitQueueKey(podKey);
    const before = keysByPod.get(podKey) ?? [];
    const selecting = writer.list(group, plural, namespace).filter((one) => selects(one, object));
    const now = kind === "deleted" ? [] : selecting.map(queueKeyOf);
    if (now.length === 0) keysByPod.delete(podKey);
    else keysByPod.set(podKey, now);
    for (const key of new Set([...before, ...now])) enqueue(key);
  });
  return {
    podsOf: (selecting) =>
      writer.list("", "pods", selecting.metadata.namespace).filter((pod) => selects(selecting, pod)),
    keysOf: (pod) => keysByPod.get(queueKeyOf(pod)) ?? [],
  };
}
