import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerOf } from "./controller-scope.ts";
import type { FeedListener } from "./object-feed.ts";

/** The objects of one kind that no controller owns: what another may adopt. Usually there are none. */
export interface StrayIndex {
  /** Called for every event of the kind. */
  readonly observe: FeedListener;
  namesIn(namespace: string): readonly string[];
}

export function createStrayIndex(): StrayIndex {
  const byNamespace = new Map<string, Set<string>>();
  const isStray = (object: KubeObject) => controllerOf(object) === undefined;
  return {
    observe: ({ kind, object }) => {
      const { namespace = "", name } = object.metadata;
      const names = byNamespace.get(namespace) ?? new Set();
      if (kind !== "deleted" && isStray(object)) names.add(name);
      else names.delete(name);
      if (names.size === 0) byNamespace.delete(namespace);
      else byNamespace.set(namespace, names);
    },
    namesIn: (namespace) => [...(byNamespace.get(namespace) ?? [])],
  };
}
