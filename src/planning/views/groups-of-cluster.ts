import { compareNames } from "../../core/compare-names.ts";
import type { ClusterGroup } from "../../model/generated/cluster-group.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import { matchesSelector } from "../../model/selector.ts";
import { labelKeys } from "../../model/well-known.ts";

/** The names of the ClusterGroups that select a cluster: those of its workspace and repository, sorted. */
export function groupsOfCluster({ metadata }: Cluster, groups: readonly ClusterGroup[]): string[] {
  const repository = metadata.labels?.[labelKeys.repository];
  return groups
    .filter((group) => group.metadata.namespace === metadata.namespace)
    .filter((group) => group.metadata.labels?.[labelKeys.repository] === repository)
    .filter(({ spec }) => matchesSelector(spec?.selector, metadata))
    .map((group) => group.metadata.name)
    .sort(compareNames);
}
