import { isAppError } from "../core/errors.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { HubContext } from "./hub-context.ts";

/** What agents of the own protocol make or may patch. Nobody has a reason to hold it: the hub sets no finalizer and no owner. */
const writtenByAgents = new Set<ResourceType>([
  resourceTypes.clusterRegistration,
  resourceTypes.clusterReport,
  resourceTypes.lease,
]);

/**
 * Takes finalizers and owners from what an agent wrote: by them it could keep an object for ever, or have it, or what it
 * names, collected at its own time.
 */
export async function stripHolds(
  context: Pick<HubContext, "hubApi" | "view" | "log">,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const object of objects) {
    const type = resourceTypeOf(object);
    const { finalizers = [], ownerReferences = [], uid = "" } = object.metadata;
    if (type === undefined || finalizers.length + ownerReferences.length === 0 || !isWrittenByAgents(object)) continue;
    const ref = refOf(type, object);
    const patch = { metadata: { uid, finalizers: null, ownerReferences: null } };
    try {
      const written = await context.hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.hub, signal });
      // One that was being deleted has gone with its last finalizer; the watch says so.
      if (written.metadata.deletionTimestamp === undefined) context.view.noteWritten(type, written);
    } catch (error) {
      if (!isAppError(error, "E_KUBE_NOT_FOUND", "E_KUBE_CONFLICT")) throw error;
      continue; // gone, or another one by now: the watch brings it
    }
    context.log.warn("foreign finalizers or owners were taken away", {
      object: `${type.kind}/${ref.namespace}/${ref.name}`,
    });
  }
}

function isWrittenByAgents(object: KubeObject): boolean {
  const type = resourceTypeOf(object);
  return type !== undefined && writtenByAgents.has(type);
}
