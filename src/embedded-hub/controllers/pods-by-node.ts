import { queueKeyOf } from "./controller-scope.ts";
import type { ObjectFeed } from "./object-feed.ts";
import { nodeNameOf } from "./pod-facts.ts";

/** Which Pods are on which Node: to search all Pods for those of one would take as long for each Node. */
export interface PodsByNode {
  /** Queue keys of Pods. */
  keysOn(nodeName: string): readonly string[];
}

export function createPodsByNode(feed: Pick<ObjectFeed, "on">): PodsByNode {
  const byNode = new Map<string, Set<string>>();
  feed.on("", "pods", ({ kind, object }) => {
    const nodeName = nodeNameOf(object);
    if (nodeName === "") return;
    const keys = byNode.get(nodeName) ?? new Set();
    if (kind === "deleted") keys.delete(queueKeyOf(object));
    else keys.add(queueKeyOf(object));
    if (keys.size === 0) byNode.delete(nodeName);
    else byNode.set(nodeName, keys);
  });
  return { keysOn: (nodeName) => [...(byNode.get(nodeName) ?? [])] };
}
