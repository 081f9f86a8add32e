import { isTrueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** A cluster is not removed while the hub has it with deletionProtection, whatever approves its removal. */
export function protectedStays({ intent, violate }: Scene): Invariant {
  const name = "what is protected is not removed";
  return {
    name,
    onRow: ({ key, before, after }) => {
      if (!key.startsWith(clusterPrefix) || !isTrueAt(before, "spec", "deletionProtection") || isLeaving(before))
        return;
      const cluster = key.slice(clusterPrefix.length);
      if (isLeaving(after) || (after === undefined && !intent.deletedByHand.has(cluster)))
        violate(name, `${cluster} is protected, and is removed`);
    },
  };
}

function isLeaving(object: KubeObject | undefined): boolean {
  return object?.metadata.annotations?.[annotationKeys.leave] !== undefined;
}
