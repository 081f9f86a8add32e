import type { KubeObject } from "./kubernetes.ts";
import { annotationKeys } from "./well-known.ts";

/** True when the file of this object takes over what another program made under the names that it needs. */
export function isAdopting({ metadata: { annotations } }: Pick<KubeObject, "metadata">): boolean {
  return annotations?.[annotationKeys.adopt] === "true";
}
