import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { labelKeys } from "../model/well-known.ts";

/** Whom an object belongs to. */
export interface ChildOwner {
  readonly label: typeof labelKeys.cluster | typeof labelKeys.token;
  readonly workspace: string;
  readonly name: string;
}

/** Whom an object belongs to by its labels. In a workspace the namespace names the owner, whatever a label has. */
export function labelledOwners(
  ref: ObjectRef,
  object: KubeObject,
  workspaces: Pick<ReadonlyMap<string, unknown>, "has">,
): ChildOwner[] {
  const labels = object.metadata.labels ?? {};
  const isInWorkspace = ref.namespace !== undefined && workspaces.has(ref.namespace);
  const workspace = isInWorkspace ? ref.namespace : labels[labelKeys.ownerWorkspace];
  if (workspace === undefined) return [];
  return [labelKeys.cluster, labelKeys.token].flatMap((label) => {
    const name = labels[label];
    return name === undefined ? [] : [{ label, workspace, name }];
  });
}

/** One text for each owner. */
export function ownerKey({ label, workspace, name }: ChildOwner): string {
  return `${label} ${workspace}/${name}`;
}
