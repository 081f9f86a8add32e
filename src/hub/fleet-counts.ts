import { resourceTypes } from "../model/resource-types.ts";
import type { ResourceType } from "../model/kubernetes.ts";
import type { ClusterStatus } from "../model/generated/cluster.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { findCondition } from "../planning/conditions.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
import type { IndexedView, ViewIndex } from "./view-index.ts";
import { viewIndex } from "./view-index.ts";

/** How many objects of a Repository the hub has. */
export interface FleetCounts {
  readonly clusters: number;
  readonly readyClusters: number;
  /** Clusters that git has applied: those that the deletion budget is a share of. */
  readonly ownedClusters: number;
  readonly tokens: number;
  readonly groups: number;
}

/** Counts the objects of a Repository. The first count reads them once; later ones visit none of them. */
export function countObjects(view: IndexedView, repositoryLabel: string): FleetCounts {
  return {
    clusters: clusters.count(view, repositoryLabel),
    readyClusters: clusters.count(view, `ready ${repositoryLabel}`),
    ownedClusters: clusters.count(view, `owned ${repositoryLabel}`),
    tokens: tokens.count(view, repositoryLabel),
    groups: groups.count(view, repositoryLabel),
  };
}

const clusters = viewIndex<IndexedView>(resourceTypes.cluster, (live) => {
  const label = live.metadata.labels?.[labelKeys.repository];
  if (label === undefined) return [];
  const { conditions } = (live["status"] ?? {}) as ClusterStatus;
  const isReady = findCondition(conditions, "Ready")?.status === "True";
  const isOwned = isAppliedBy(live, fieldManagers.git);
  return [label, ...(isReady ? [`ready ${label}`] : []), ...(isOwned ? [`owned ${label}`] : [])];
});
const tokens = byRepository(resourceTypes.clusterRegistrationToken);
const groups = byRepository(resourceTypes.clusterGroup);

function byRepository(type: ResourceType): ViewIndex<IndexedView> {
  return viewIndex<IndexedView>(type, ({ metadata: { labels } }) => [labels?.[labelKeys.repository] ?? ""]);
}
