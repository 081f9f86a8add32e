import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

export type Metadata = Partial<KubeObject["metadata"]>;

/** A Cluster of workspace "fleet". */
export function clusterOf(
  name: string,
  fields: { readonly metadata?: Metadata; readonly spec?: Cluster["spec"] } = {},
) {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    spec: fields.spec ?? {},
    metadata: { name, namespace: "fleet", uid: `uid-${name}`, resourceVersion: "1", ...fields.metadata },
  } satisfies KubeObject & Cluster;
}

/** An object of the core group in workspace "fleet". */
export function coreObject(kind: string, name: string, metadata: Metadata = {}, fields: object = {}): KubeObject {
  const named = { name, namespace: "fleet", uid: `uid-${name}`, resourceVersion: "1" };
  return { apiVersion: "v1", kind, metadata: { ...named, ...metadata }, ...fields };
}
