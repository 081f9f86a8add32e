import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository, RepositoryCounts } from "../model/generated/repository.ts";
import type { HubView } from "../hub/hub-view.ts";
import { countObjects } from "../hub/fleet-counts.ts";
import type { IndexedView } from "../hub/view-index.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { isOurs } from "./run-scope.ts";

/** The Clusters of a Repository. */
export function clustersOf(view: Pick<HubView, "list">, repository: Repository): Cluster[] {
  return view.list(resourceTypes.cluster).filter((object) => isOurs(object, repository)) as unknown[] as Cluster[];
}

/** What Repository.status counts. No object is visited for it. */
export function countFleet(view: IndexedView, repository: Repository, fileCount: number): RepositoryCounts {
  const { clusters, readyClusters, tokens, groups } = countObjects(view, repositoryLabelOf(repository));
  return { files: fileCount, clusters, readyClusters, tokens, groups };
}
