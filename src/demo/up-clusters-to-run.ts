import type { Cluster } from "../model/generated/cluster.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";

/**
 * The clusters that a start of the demo runs: the first `count` that are declared, and each one that ran before until it is
 * offboarded, whether a file still declares it or only the hub knows it. An agent must run to be removed. A folder has the
 * name of its cluster: of those that have one name, in different workspaces, the first runs.
 */
export function clustersToRun(options: {
  readonly declared: readonly Cluster[];
  readonly onHub: readonly Cluster[];
  /** Names of the clusters that ran before. */
  readonly begun: ReadonlySet<string>;
  readonly count: number;
  readonly protocol: ProtocolName;
}): readonly Cluster[] {
  const { begun, count, protocol } = options;
  const runnable = ({ spec }: Cluster): boolean =>
    spec?.kubeConfigSecretRef !== undefined && (spec.protocol ?? "rollcall") === protocol;
  const declared = firstOfEachName(options.declared.filter(runnable));
  const names = new Set(declared.map(({ metadata }) => metadata.name));
  const others = options.onHub.filter((cluster) => runnable(cluster) && !names.has(cluster.metadata.name));
  const isBegun = ({ metadata }: Cluster): boolean => begun.has(metadata.name);
  return [
    ...declared.filter((cluster, index) => index < count || isBegun(cluster)),
    ...firstOfEachName(others.filter(isBegun)),
  ];
}

function firstOfEachName(clusters: readonly Cluster[]): readonly Cluster[] {
  const names = new Set<string>();
  return clusters.filter(({ metadata: { name } }) => !names.has(name) && names.add(name));
}
