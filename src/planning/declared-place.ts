import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";

/** The Cluster, token or group that a file declares, and that an object on the hub belongs to. */
export interface DeclaredPlace {
  readonly workspace: string;
  readonly name: string;
  /** Of the object of our own kinds. */
  readonly ref: ObjectRef;
  /** The object is of our own kinds. */
  readonly isItself: boolean;
}

/**
 * Where a file declares the object: an object of our own kinds itself, or the Cluster or token that an object of another
 * project's kind carries the labels of. Undefined for an object without these labels, and for one in a namespace that is not
 * the workspace of its Cluster: such a namespace belongs to one cluster, and ends with it.
 */
export function declaredPlaceOf(
  { metadata: { name, namespace, labels = {} } }: KubeObject,
  type: ResourceType,
): DeclaredPlace | undefined {
  if (type.group === resourceTypes.cluster.group)
    return namespace === undefined
      ? undefined
      : { workspace: namespace, name, ref: { type, namespace, name }, isItself: true };
  const { [labelKeys.cluster]: cluster, [labelKeys.token]: token, [labelKeys.ownerWorkspace]: owner } = labels;
  const workspace = owner ?? namespace;
  const ownerName = cluster ?? token;
  if (workspace === undefined || ownerName === undefined || (namespace ?? workspace) !== workspace) return undefined;
  const ownerType = cluster === undefined ? resourceTypes.clusterRegistrationToken : resourceTypes.cluster;
  return {
    workspace,
    name: ownerName,
    ref: { type: ownerType, namespace: workspace, name: ownerName },
    isItself: false,
  };
}
