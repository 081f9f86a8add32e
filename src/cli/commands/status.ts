import { printableJson } from "../../core/printable-json.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { clusterState } from "../../planning/cluster-phase.ts";
import { clusterRow } from "../../planning/views/cluster-row.ts";
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
      stdout.write(toJson(clusters.map(summaryOf)));
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

function summaryOf(cluster: Cluster): unknown {
  const { metadata, status } = cluster;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    state: clusterState(cluster),
    conditions: status?.conditions ?? [],
    agent: status?.agent,
    kubernetesVersion: status?.kubernetesVersion,
  };
}

function toJson(value: unknown): string {
  return `${printableJson(value)}\n`;
}
