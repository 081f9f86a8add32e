import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository, RepositoryCounts } from "../model/generated/repository.ts";
import type { HubView } from "../hub/hub-view.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { findCondition } from "../planning/conditions.ts";
import { isOurs } from "./run-scope.ts";

/** The Clusters of a Repository. */
export function clustersOf(view: Pick<HubView, "list">, repository: Repository): Cluster[] {
  return view.list(resourceTypes.cluster).filter((object) => isOurs(object, repository)) as unknown[] as Cluster[];
}

/** What Repository.status counts. */
export function countFleet(view: Pick<HubView, "list">, repository: Repository, fileCount: number): RepositoryCounts {
  const clusters = clustersOf(view, repository);
  return {
    files: fileCount,
    clusters: clusters.length,
    readyClusters: clusters.filter(({ status }) => findCondition(status?.conditions, "Ready")?.status === "True")
      .length,
    tokens: view.list(resourceTypes.clusterRegistrationToken).filter((object) => isOurs(object, repository)).length,
    groups: view.list(resourceTypes.clusterGroup).filter((object) => isOurs(object, repository)).length,
  };
}
