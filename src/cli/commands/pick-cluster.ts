import { AppError } from "../../core/errors.ts";

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

/**
 * The cluster that a person means by `name` or `workspace/name`.
 * @throws E_KUBE_NOT_FOUND, E_USAGE when several are called so
 */
export function pickCluster<T extends Named>(clusters: readonly T[], wanted: string): T {
  const matching = clusters.filter(
    ({ metadata }) => metadata.name === wanted || `${metadata.namespace}/${metadata.name}` === wanted,
  );
  const [first, second] = matching;
  if (!first) throw new AppError("E_KUBE_NOT_FOUND", `the hub has no Cluster ${wanted}`, { recovery: "stalled" });
  if (second) {
    const names = matching.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(", ");
    throw new AppError("E_USAGE", `more than one Cluster is called ${wanted}: ${names}`);
  }
  return first;
}
