import { writableTypes } from "../hub/report-hub-objects.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { HubObject } from "../planning/hub-objects.ts";
import { hubObjects } from "../planning/hub-objects.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import { listIfAllowed } from "./list-if-allowed.ts";

/**
 * What is on a hub, or in one namespace of it, and in no file, of the kinds that its daemons serve. `clusters` are all Clusters
 * there. A kind that the hub does not have, or that the reader may not list, is left out.
 * @throws E_KUBE_SERVER and others of a list
 */
export async function listHubObjects(
  hubApi: Pick<KubeApi, "list">,
  {
    clusters,
    repositories,
  }: { readonly clusters: readonly KubeObject[]; readonly repositories: readonly Repository[] },
  query: { readonly namespace?: string; readonly signal: AbortSignal },
): Promise<readonly HubObject[]> {
  const served = repositories.flatMap(({ status }) => status?.serves ?? []);
  const types = new Set(writableTypes(protocolsWith(served)));
  types.delete(resourceTypes.cluster);
  const isThere = ({ isNamespaced }: ResourceType): boolean => isNamespaced || query.namespace === undefined;
  const lists = await Promise.all([...types].filter(isThere).map((type) => listIfAllowed(hubApi, type, query)));
  return hubObjects([...clusters, ...lists.flatMap((items) => items ?? [])]);
}
