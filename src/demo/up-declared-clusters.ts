import type { GitEngine } from "../git/git.ts";
import { checkFleet } from "../manifests/check-fleet.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import { readSource } from "../review/read-source.ts";
import { sourceOptions } from "../review/wire-source.ts";

/** The clusters that the head of main declares, in the order of their files. */
export async function readDeclaredClusters(git: GitEngine): Promise<Cluster[]> {
  const head = await git.fetchHead("main");
  if (head === undefined) return [];
  const snapshot = await readSource(head, undefined, undefined, { git, ...sourceOptions(() => undefined) });
  const { fleet } = checkFleet([...snapshot.parsed.values()], {});
  return fleet.clusters.map(({ object }) => object);
}
