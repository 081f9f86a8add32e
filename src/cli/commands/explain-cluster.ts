import { compact } from "../../core/compact.ts";
import { listIfAllowed } from "../../daemon/list-if-allowed.ts";
import { readHeartbeat } from "../../daemon/read-heartbeat.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterDetail } from "../../model/generated/page-api.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { clusterDetail } from "../../planning/views/cluster-detail.ts";
import { clusterRow } from "../../planning/views/cluster-row.ts";
import { forgeLinks } from "../../planning/views/forge-links.ts";
import { requestViews } from "../../planning/views/request-views.ts";
import { realClock } from "../../system/real-clock.ts";

/** What the hub knows of one cluster, for `status` and `describe`. */
export async function explainCluster(hubApi: KubeApi, cluster: Cluster, signal: AbortSignal): Promise<ClusterDetail> {
  const { namespace = "" } = cluster.metadata;
  const last = await readHeartbeat(hubApi, cluster, signal);
  // A user without the right to list them sees all the rest.
  const registrations = await listIfAllowed(hubApi, resourceTypes.clusterRegistration, { namespace, signal });
  return clusterDetail({
    cluster,
    row: clusterRow(cluster, []),
    state: undefined,
    beats: compact({ last, seen: [] }),
    links: forgeLinks(undefined),
    requests: requestViews(cluster, registrations ?? []),
    history: [],
    nowMs: realClock.nowMs(),
  });
}
