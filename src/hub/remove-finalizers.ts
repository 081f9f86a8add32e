import { isAppError } from "../core/errors.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";

/**
 * Objects that agents of the own protocol make or may patch. No finalizer or owner of them is valid: the hub sets none.
 */
const writtenByAgents = new Set<ResourceType>([
  resourceTypes.clusterRegistration,
  resourceTypes.clusterReport,
  resourceTypes.lease,
]);

/**
 * Takes finalizers and owners from what an agent wrote: by them it could keep an object for ever, or have it, or what it
 * names, collected at its own time.
 */
export async function removeFinalizers(
  { write, log }: Pick<HubPorts, "log"> & { readonly write: Pick<HubWriter, "patch"> },
  objects: readonly KubeObject[],
): Promise<void> {
  for (const object of objects) {
    const type = resourceTypeOf(object);
    const { finalizers = [], ownerReferences = [], uid = "" } = object.metadata;
    if (type === undefined || finalizers.length + ownerReferences.length === 0 || !isWrittenByAgents(object)) continue;
    const ref = refOf(type, object);
    const patch = { metadata: { uid, finalizers: null, ownerReferences: null } };
    try {
      await write.patch(ref, patch);
    } catch (error) {
      if (!isAppError(error, "E_KUBE_NOT_FOUND", "E_KUBE_CONFLICT")) throw error;
      continue; // deleted, or replaced by another one: the watch brings it
    }
    log.warn("foreign finalizers or owners were taken away", {
      object: `${type.kind}/${ref.namespace}/${ref.name}`,
    });
  }
}

function isWrittenByAgents(object: KubeObject): boolean {
  const type = resourceTypeOf(object);
  return type !== undefined && writtenByAgents.has(type);
}
