import { printableJson } from "../../core/printable-json.ts";
import { compareNames } from "../../core/compare-names.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { ClusterGroup } from "../../model/generated/cluster-group.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { Repository } from "../../model/generated/repository.ts";
import type { ClusterRow } from "../../model/generated/page-api.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { clusterRow } from "../../planning/views/cluster-row.ts";
import { groupsOfCluster } from "../../planning/views/groups-of-cluster.ts";
import { forgeLinks } from "../../planning/views/forge-links.ts";
import { repositorySummary } from "../../planning/views/repository-summary.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import { listIfAllowed } from "../../daemon/list-if-allowed.ts";
import { listHubObjects } from "../../daemon/list-hub-objects.ts";
import type { ObjectQuery } from "./list-objects.ts";
import { findCluster, listObjects, queryOf } from "./list-objects.ts";
import { explainCluster } from "./explain-cluster.ts";
import type { CommandContext } from "./command-context.ts";
import { realClock } from "../../system/real-clock.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderClusterDetail, renderFleet, renderHubObjects } from "../render/render-status.ts";
import { statusFromServer } from "./status-from-server.ts";

/** `rollcall status [cluster]`: the fleet in a table, or one cluster explained on one screen; by --server from a page. */
export async function runStatus(context: CommandContext): Promise<number> {
  const server = context.settings.text("server");
  if (server !== undefined) return statusFromServer(context, server);
  const { settings, args, environment, stdout } = context;
  const { hubApi } = await connectHub(settings, environment);
  try {
    const isColour = isColourful(stdout, environment);
    const isJson = settings.text("output") === "json";
    const [wanted] = args;
    if (wanted !== undefined) {
      const cluster = await findCluster(hubApi, context, wanted);
      const detail = await explainCluster(hubApi, cluster, context.signal);
      stdout.write(isJson ? toJson(detail) : renderClusterDetail(detail, { isColour, nowMs: realClock.nowMs() }));
      return 0;
    }
    const query = queryOf(context);
    const items = await listObjects(hubApi, resourceTypes.cluster, query);
    const clusters = items as unknown as readonly Cluster[];
    if (isJson) {
      stdout.write(toJson(await listRows(hubApi, clusters, query)));
      return 0;
    }
    const repositories = await listRepositories(hubApi, context);
    const summaries = repositories?.map((repository) =>
      repositorySummary(repository, { links: forgeLinks(repository), commitOf: () => undefined }),
    );
    const rows = clusters.map((cluster) => clusterRow(cluster, []));
    const known = { clusters: items, repositories: repositories ?? [] };
    const others = renderHubObjects(await listHubObjects(hubApi, known, query));
    stdout.write((summaries === undefined ? notAllowed : "") + renderFleet(summaries ?? [], rows, isColour) + others);
    return 0;
  } finally {
    await hubApi.close();
  }
}

const notAllowed = "Repositories: this user may not list them\n\n";

/** Those of the daemon; undefined for a user without the right to list them, such as one of a single workspace. */
async function listRepositories(
  hubApi: Pick<KubeApi, "list">,
  { settings, signal }: CommandContext,
): Promise<readonly Repository[] | undefined> {
  const namespace = settings.requiredText("namespace");
  const items = await listIfAllowed(hubApi, resourceTypes.repository, { namespace, signal });
  return items as unknown as readonly Repository[] | undefined;
}

/** A row of each cluster, as the page's API has them. A user without the right to list groups sees none. */
async function listRows(
  hubApi: Pick<KubeApi, "list">,
  clusters: readonly Cluster[],
  query: ObjectQuery,
): Promise<ClusterRow[]> {
  const items = (await listIfAllowed(hubApi, resourceTypes.clusterGroup, query)) ?? [];
  const groups = items as unknown as readonly ClusterGroup[];
  return clusters
    .map((cluster) => clusterRow(cluster, groupsOfCluster(cluster, groups)))
    .sort((a, b) => compareNames(a.workspace, b.workspace) || compareNames(a.name, b.name));
}

function toJson(value: unknown): string {
  return `${printableJson(value)}\n`;
}
