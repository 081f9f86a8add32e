import { clusterOfWorkingName } from "../model/dialects/rollcall.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";

/** Whom an object belongs to. */
export interface ChildOwner {
  readonly label: typeof labelKeys.cluster | typeof labelKeys.token;
  readonly workspace: string;
  readonly name: string;
}

/**
 * Whom an object belongs to: by its labels, or by its name where an agent may write the labels. In a workspace the namespace
 * names the owner, whatever a label has.
 */
export function directOwners(
  ref: ObjectRef,
  object: KubeObject,
  workspaces: Pick<ReadonlyMap<string, unknown>, "has">,
): ChildOwner[] {
  const labels = object.metadata.labels ?? {};
  const isInWorkspace = ref.namespace !== undefined && workspaces.has(ref.namespace);
  const workspace = isInWorkspace ? ref.namespace : labels[labelKeys.ownerWorkspace];
  if (workspace === undefined) return [];
  const agentsCluster = isInWorkspace ? clusterOfAgentsObject(ref) : undefined;
  if (agentsCluster !== undefined) return [{ label: labelKeys.cluster, workspace, name: agentsCluster }];
  return [labelKeys.cluster, labelKeys.token].flatMap((label) => {
    const name = labels[label];
    return name === undefined ? [] : [{ label, workspace, name }];
  });
}

/**
 * The cluster whose agent may patch the object, its labels and managed fields too: its report, and the Lease of its
 * heartbeats. By labels, the agent could take them away from the hub, which would neither write nor delete them any more.
 */
function clusterOfAgentsObject({ type, name }: ObjectRef): string | undefined {
  if (type === resourceTypes.clusterReport) return name;
  return type === resourceTypes.lease ? clusterOfWorkingName(name) : undefined;
}

/** One text for each owner. */
export function ownerKey({ label, workspace, name }: ChildOwner): string {
  return `${label} ${workspace}/${name}`;
}
