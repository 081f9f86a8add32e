import type { KubeObject } from "./kubernetes.ts";
import { annotationKeys } from "./well-known.ts";

/** True when a person suspended this object: Rollcall leaves it as it is. */
export function isSuspended({ metadata: { annotations } }: Pick<KubeObject, "metadata">): boolean {
  return annotations?.[annotationKeys.reconcile] === "disabled";
}
