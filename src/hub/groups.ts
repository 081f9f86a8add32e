import { setImmediate } from "node:timers/promises";
import { countOf, oneOrMany } from "../core/count-of.ts";
import { compareNames } from "../core/compare-names.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterGroup, ClusterGroupStatus } from "../model/generated/cluster-group.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ClusterSelector } from "../model/selector.ts";
import type { SelectorIndex } from "../model/selector-index.ts";
import { indexSelectors } from "../model/selector-index.ts";
import { labelKeys } from "../model/well-known.ts";
import { withoutEditsByHand } from "../planning/edits-by-hand.ts";
import { findCondition, toConditions } from "../planning/conditions.ts";
import type { HubPorts } from "./hub-ports.ts";
import { createHubWriter } from "./hub-writer.ts";

/** Names that a status has. */
const shownNames = 20;
/** Parts of selectors that are compared with clusters before others have their turn: some ten milliseconds. */
const partsInTurn = 100_000;

interface Members {
  clusters: number;
  readyClusters: number;
  /** The first ones by name. */
  readonly notReady: string[];
}

/**
 * Counts the members of every group of a workspace. A group chooses among the clusters of its own repository. Others have
 * their turn between clusters, however many groups and parts of selectors there are.
 */
export async function reconcileGroups(
  ports: Pick<HubPorts, "hubApi" | "view" | "clock" | "log">,
  workspace: string,
  signal: AbortSignal,
): Promise<void> {
  const { view } = ports;
  const groups = view.list(resourceTypes.clusterGroup, workspace) as readonly unknown[] as readonly ClusterGroup[];
  if (groups.length === 0) return;
  const write = createHubWriter(ports, signal);
  const clusters = view.list(resourceTypes.cluster, workspace) as readonly Cluster[];
  const members = await membersOf(groups, clusters, signal);
  for (const group of groups) {
    const status = statusOf(group, members.get(group) ?? noMembers(), ports);
    await write.applyStatus({ ref: refOf(resourceTypes.clusterGroup, group), status });
  }
}

async function membersOf(
  groups: readonly ClusterGroup[],
  clusters: readonly Cluster[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ClusterGroup, Members>> {
  const members = new Map(groups.map((group): [ClusterGroup, Members] => [group, noMembers()]));
  const finders = findersOf(groups);
  const byName = clusters
    .map((cluster) => ({ cluster, name: cluster.metadata.name }))
    .sort((a, b) => compareNames(a.name, b.name));
  let parts = 0;
  for (const { cluster, name } of byName) {
    const { metadata } = withoutEditsByHand(cluster, undefined);
    const finder = finders.get(metadata.labels?.[labelKeys.repository]);
    if (finder === undefined) continue;
    const isReady = findCondition(cluster.status?.conditions, "Ready")?.status === "True";
    for (const group of finder.index.matching(metadata)) {
      const found = members.get(group);
      if (found === undefined) continue;
      found.clusters += 1;
      if (isReady) found.readyClusters += 1;
      else if (found.notReady.length < shownNames) found.notReady.push(name);
    }
    parts += finder.parts;
    if (parts < partsInTurn) continue;
    parts = 0;
    await setImmediate(undefined, { signal });
  }
  return members;
}

function noMembers(): Members {
  return { clusters: 0, readyClusters: 0, notReady: [] };
}

interface Finder {
  /** Of all its selectors together. */
  readonly parts: number;
  readonly index: SelectorIndex<ClusterGroup>;
}

/** The groups of each repository. */
function findersOf(groups: readonly ClusterGroup[]): ReadonlyMap<string | undefined, Finder> {
  const byRepository = new Map<string | undefined, ClusterGroup[]>();
  for (const group of groups) {
    const repository = group.metadata.labels?.[labelKeys.repository];
    const own = byRepository.get(repository);
    if (own === undefined) byRepository.set(repository, [group]);
    else own.push(group);
  }
  return new Map([...byRepository].map(([repository, own]) => [repository, finderOf(own)]));
}

function finderOf(groups: readonly ClusterGroup[]): Finder {
  const parts = groups.reduce((sum, { spec }) => sum + partsOf(spec?.selector), 0);
  return { parts, index: indexSelectors(groups, ({ spec }) => spec?.selector) };
}

function partsOf({ names = [], matchLabels = {}, matchExpressions = [] }: ClusterSelector = {}): number {
  return 1 + names.length + Object.keys(matchLabels).length + matchExpressions.length;
}

function statusOf(
  group: ClusterGroup,
  { clusters, readyClusters, notReady }: Members,
  { clock }: Pick<HubPorts, "clock">,
): ClusterGroupStatus {
  const isReady = readyClusters === clusters;
  const result = {
    type: "Ready",
    status: isReady ? ("True" as const) : ("False" as const),
    reason: isReady ? "AllReady" : "SomeNotReady",
    message: `${readyClusters} of ${countOf(clusters, "cluster")} ${oneOrMany(clusters, "is", "are")} ready.`,
  };
  const { generation } = group.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    clusters,
    readyClusters,
    ...(notReady.length > 0 ? { notReady } : {}),
    conditions: toConditions([result], group.status?.conditions, { nowMs: clock.nowMs() }),
  };
}
