import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";

/** Kinds of which an agent, or the holder of a registration token, writes many objects, or one again and again. */
export const writtenByAgents: ReadonlySet<ResourceType> = new Set([
  resourceTypes.lease,
  resourceTypes.clusterReport,
  resourceTypes.clusterRegistration,
  resourceTypes.fleetRegistration,
  resourceTypes.registrationRequest,
  resourceTypes.managedCluster,
  resourceTypes.internalMemberCluster,
  resourceTypes.work,
  resourceTypes.fleetBundleDeployment,
]);

/**
 * Kinds of which others may write many objects with any content: of a namespace of another team, the hub reads whose it is and no
 * more.
 */
export function isWrittenByOthers(type: ResourceType): boolean {
  return type === resourceTypes.namespace || writtenByAgents.has(type);
}

/** As JSON. Their definitions and the policies for agents allow a quarter of it. */
const longestSet = 16_384;

/**
 * Forgets large sets of managed fields of an object that others write. An API server keeps whatever set a request has, of
 * fields that no object has, up to 1.5 MiB; in memory that is ten times as much. Managers and times stay.
 */
export function forgetLargeSets(type: ResourceType, { metadata }: KubeObject): void {
  if (!isWrittenByOthers(type)) return;
  for (const entry of metadata.managedFields ?? [])
    if (entry.fieldsV1 !== undefined && JSON.stringify(entry.fieldsV1).length > longestSet) entry.fieldsV1 = {};
}
