import { isAppError } from "../core/errors.ts";
import { writableTypes } from "../hub/report-hub-objects.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { HubObject } from "../planning/hub-objects.ts";
import { hubObjects } from "../planning/hub-objects.ts";
import { protocolsWith } from "./foreign-protocols.ts";

/**
 * What is on a hub and in no file, of the kinds that its daemons serve. `clusters` are all Clusters of the hub. A kind that the
 * hub does not have, or that the reader may not list, is left out.
 * @throws E_KUBE_SERVER and others of a list
 */
export async function listHubObjects(
  hubApi: Pick<KubeApi, "list">,
  {
    clusters,
    repositories,
  }: { readonly clusters: readonly KubeObject[]; readonly repositories: readonly Repository[] },
  signal: AbortSignal,
): Promise<readonly HubObject[]> {
  const served = repositories.flatMap(({ status }) => status?.serves ?? []);
  const types = new Set(writableTypes(protocolsWith(served)));
  types.delete(resourceTypes.cluster);
  const lists = await Promise.all([...types].map((type) => listIfAllowed(hubApi, type, signal)));
  return hubObjects([...clusters, ...lists.flat()]);
}

async function listIfAllowed(
  hubApi: Pick<KubeApi, "list">,
  type: ResourceType,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return (await hubApi.list(type, { signal })).items;
  } catch (error) {
    if (isAppError(error, "E_KUBE_FORBIDDEN") || isAppError(error, "E_KUBE_NOT_FOUND")) return [];
    throw error;
  }
}
