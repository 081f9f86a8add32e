import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";

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
  if (!first) {
    const near = nearestName(wanted, namesOf(clusters, wanted));
    const hint = near === undefined ? "; rollcall status lists those that there are" : `, did you mean ${near}?`;
    throw new AppError("E_KUBE_NOT_FOUND", `the hub has no Cluster ${wanted}${hint}`, { recovery: "stalled" });
  }
  if (second) {
    const names = matching.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(", ");
    throw new AppError("E_USAGE", `more than one Cluster is called ${wanted}: ${names}`);
  }
  return first;
}

/** Names in the form in which the person gave one. */
function namesOf(clusters: readonly Named[], wanted: string): string[] {
  const isQualified = wanted.includes("/");
  return clusters.map(({ metadata: { namespace, name } }) => (isQualified ? `${namespace}/${name}` : name));
}
