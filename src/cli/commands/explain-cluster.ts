import { compact } from "../../core/compact.ts";
import { isAppError } from "../../core/errors.ts";
import { readHeartbeat } from "../../daemon/read-heartbeat.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterDetail } from "../../model/generated/page-api.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
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
  const registrations = await listRegistrations(hubApi, namespace, signal);
  return clusterDetail({
    cluster,
    row: clusterRow(cluster, []),
    state: undefined,
    beats: compact({ last, seen: [] }),
    links: forgeLinks(undefined),
    requests: requestViews(cluster, registrations),
    history: [],
    nowMs: realClock.nowMs(),
  });
}

/** A user without the right to list them sees all the rest. */
async function listRegistrations(
  hubApi: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return (await hubApi.list(resourceTypes.clusterRegistration, { namespace, signal })).items;
  } catch (error) {
    if (isAppError(error, "E_KUBE_FORBIDDEN")) return [];
    throw error;
  }
}
