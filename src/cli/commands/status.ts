import { printableJson } from "../../core/printable-json.ts";
import { compareNames } from "../../core/compare-names.ts";
import { isAppError } from "../../core/errors.ts";
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
import { listHubObjects } from "../../daemon/list-hub-objects.ts";
import { pickCluster } from "./pick-cluster.ts";
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
  const { settings, args, environment, stdout, signal } = context;
  const { hubApi } = await connectHub(settings, environment);
  try {
    const { items } = await hubApi.list(resourceTypes.cluster, { signal });
    const clusters = items as unknown[] as Cluster[];
    const isColour = isColourful(stdout, environment);
    const isJson = settings.text("output") === "json";
    const [wanted] = args;
    if (wanted !== undefined) {
      const detail = await explainCluster(hubApi, pickCluster(clusters, wanted), signal);
      stdout.write(isJson ? toJson(detail) : renderClusterDetail(detail, { isColour, nowMs: realClock.nowMs() }));
      return 0;
    }
    if (isJson) {
      stdout.write(toJson(await listRows(hubApi, clusters, signal)));
      return 0;
    }
    const { items: repositories } = await hubApi.list(resourceTypes.repository, {
      namespace: settings.requiredText("namespace"),
      signal,
    });
    const summaries = (repositories as unknown[] as Repository[]).map((repository) =>
      repositorySummary(repository, { links: forgeLinks(repository), commitOf: () => undefined }),
    );
    const rows = clusters.map((cluster) => clusterRow(cluster, []));
    const known = { clusters: items, repositories: repositories as unknown[] as Repository[] };
    stdout.write(
      renderFleet(summaries, rows, isColour) + renderHubObjects(await listHubObjects(hubApi, known, signal)),
    );
    return 0;
  } finally {
    await hubApi.close();
  }
}

/** A row of each cluster, as the page's API has them. A user without the right to list groups sees none. */
async function listRows(
  hubApi: Pick<KubeApi, "list">,
  clusters: readonly Cluster[],
  signal: AbortSignal,
): Promise<ClusterRow[]> {
  const groups = await listGroups(hubApi, signal);
  return clusters
    .map((cluster) => clusterRow(cluster, groupsOfCluster(cluster, groups)))
    .sort((a, b) => compareNames(a.workspace, b.workspace) || compareNames(a.name, b.name));
}

async function listGroups(hubApi: Pick<KubeApi, "list">, signal: AbortSignal): Promise<readonly ClusterGroup[]> {
  try {
    const { items } = await hubApi.list(resourceTypes.clusterGroup, { signal });
    return items as unknown[] as ClusterGroup[];
  } catch (error) {
    if (isAppError(error, "E_KUBE_FORBIDDEN")) return [];
    throw error;
  }
}

function toJson(value: unknown): string {
  return `${printableJson(value)}\n`;
}
