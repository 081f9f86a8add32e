import { memoizeWeak } from "../core/memoize-weak.ts";
import { textAt } from "../core/read-json.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { clusterOfApproval } from "./convert-clusternet.ts";

/**
 * The clusters with the approvals of requests: a declared cluster without an id gets that of its approval, an
 * undeclared cluster is declared by its approval. Both were checked not to contradict each other.
 */
export function approveClusters(
  clusters: readonly Declared<Cluster>[],
  approvals: readonly { readonly approval: Declared<KubeObject>; readonly workspace: string | undefined }[],
): Declared<Cluster>[] {
  if (approvals.length === 0) return [...clusters];
  const keyOf = (workspace = "", name = ""): string => `${workspace}/${name}`;
  const byKey = new Map(
    approvals.map(({ approval, workspace }) => [
      keyOf(workspace, textAt(approval.object, "spec", "clusterName")),
      { approval, workspace },
    ]),
  );
  const declared = clusters.map((cluster) => {
    const { metadata, spec } = cluster.object;
    const key = keyOf(metadata.namespace, metadata.name);
    const found = byKey.get(key);
    if (found === undefined) return cluster;
    byKey.delete(key);
    return spec?.clientID === undefined ? approved(cluster, found.approval) : cluster;
  });
  return [...declared, ...[...byKey.values()].map(({ approval, workspace }) => made(approval, workspace))];
}

const approved = memoizeWeak((cluster: Declared<Cluster>, { object }: Declared<KubeObject>): Declared<Cluster> => {
  const clientID = textAt(object, "spec", "clusterId") ?? "";
  return { ...cluster, object: { ...cluster.object, spec: { ...cluster.object.spec, clientID } } };
});

const made = memoizeWeak(
  ({ object, ...place }: Declared<KubeObject>, workspace: string | undefined): Declared<Cluster> => {
    const { metadata, ...rest } = clusterOfApproval(object);
    const namespaced = { ...metadata, ...(workspace === undefined ? {} : { namespace: workspace }) };
    return { ...place, object: { ...rest, metadata: namespaced } };
  },
);
