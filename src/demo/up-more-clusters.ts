import { stringify } from "yaml";
import type { Cluster } from "../model/generated/cluster.ts";

/**
 * Files for `count` further clusters beside those that are declared, in the first one's workspace; `extraSpec` is added to
 * the spec of each.
 */
export function moreClusterFiles(
  declared: readonly Cluster[],
  count: number,
  { prefix, extraSpec }: { readonly prefix: string; readonly extraSpec: Readonly<Record<string, unknown>> },
): Map<string, string> {
  const namespace = declared[0]?.metadata.namespace ?? "fleet";
  const taken = new Set(declared.map(({ metadata }) => metadata.name));
  const title = prefix.charAt(0).toUpperCase() + prefix.slice(1);
  const files = new Map<string, string>();
  for (let number = 1; files.size < count; number++) {
    const name = `${prefix}-${number}`;
    if (taken.has(name)) continue;
    const cluster = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name, namespace, labels: { env: "dev" } },
      spec: { displayName: `${title} ${number}`, kubeConfigSecretRef: { name: `${name}-kubeconfig` }, ...extraSpec },
    };
    files.set(`clusters/${prefix}/${name}.yaml`, stringify(cluster));
  }
  return files;
}
