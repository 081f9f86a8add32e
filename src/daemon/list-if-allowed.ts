import { isAppError } from "../core/errors.ts";
import type { KubeApi, ListOptions } from "../kube/kube.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";

/** The objects; undefined when the reader may not list them, or the hub does not have the kind. @throws others of a list */
export async function listIfAllowed(
  hubApi: Pick<KubeApi, "list">,
  type: ResourceType,
  options: ListOptions,
): Promise<readonly KubeObject[] | undefined> {
  try {
    return (await hubApi.list(type, options)).items;
  } catch (error) {
    if (isAppError(error, "E_KUBE_FORBIDDEN", "E_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}
