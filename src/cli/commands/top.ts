import { mapConcurrently } from "../../core/map-concurrently.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import { readHeartbeat } from "../../daemon/read-heartbeat.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { realClock } from "../../system/real-clock.ts";
import { renderTop } from "../render/render-top.ts";
import type { CommandContext, PlainContext } from "./command-context.ts";
import { listObjects, queryOf } from "./list-objects.ts";
import { pickObjects, readTargets } from "./read-targets.ts";

type TopContext = PlainContext & Partial<Pick<CommandContext, "stderr">>;

/** Heartbeats that are read at the same time: each is an object of its own. */
const concurrentReads = 16;

/**
 * `rollcall top [CLUSTER...]`: clusters with the age of their last heartbeat, versions, nodes and resources.
 * @throws E_KUBE_NOT_FOUND for a name that there is none of
 */
export async function runTop(context: TopContext): Promise<number> {
  const { settings, args, environment, stdout, stderr, signal } = context;
  const targets = readTargets(["clusters", ...args]);
  const { hubApi } = await connectHub(settings, environment);
  try {
    const items = await listObjects(hubApi, resourceTypes.cluster, queryOf(context, targets.names));
    const clusters = pickObjects(items, targets) as unknown as readonly Cluster[];
    if (clusters.length === 0) {
      stderr?.write("No clusters.\n");
      return 0;
    }
    const rows = await mapConcurrently(clusters, concurrentReads, async (cluster) => {
      const heartbeat = await readHeartbeat(hubApi, cluster, signal);
      return { cluster, heartbeat };
    });
    stdout.write(renderTop(rows, realClock.nowMs()));
    return 0;
  } finally {
    await hubApi.close();
  }
}
