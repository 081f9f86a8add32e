import { smallestOf } from "../core/extremes.ts";
import type { JoinProtocol } from "../join/join.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { heartbeatOf } from "../planning/cluster-settings.ts";
import type { HubView } from "./hub-view.ts";
import type { IndexedView } from "./view-index.ts";
import { viewIndex } from "./view-index.ts";
import type { Witness } from "./watched-time.ts";
import { isOwnManager } from "../planning/edits-by-hand.ts";
import { writtenAtMs } from "./watched-time.ts";

interface Sources {
  readonly view: Pick<HubView, "get" | "list">;
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
}

/** The agents of declared clusters that report for how long they have reached the hub. */
export function witnessesOf({ view, protocols }: Sources): Witness[] {
  return [...protocols.values()].flatMap((protocol) =>
    view.list(protocol.heartbeatType).flatMap((object) => {
      const heartbeat = protocol.heartbeatIn(object);
      if (heartbeat?.heldMs === undefined) return [];
      const cluster = view.get({
        type: resourceTypes.cluster,
        namespace: heartbeat.workspace,
        name: heartbeat.cluster,
      });
      const renewedAtMs = writtenAtMs(object, isOwnManager);
      if (!cluster || renewedAtMs === undefined) return [];
      return [{ renewedAtMs, heldMs: heartbeat.heldMs, periodMs: periodMsOf(cluster as Cluster) }];
    }),
  );
}

/** The shortest heartbeat period (ms) of the clusters; undefined when there is none. Only the first call visits them. */
export function shortestPeriodMs({ view }: { readonly view: IndexedView }): number | undefined {
  const periodsMs = [...clustersByPeriod.keys(view)].map(Number);
  return periodsMs.length === 0 ? undefined : smallestOf(periodsMs);
}

const clustersByPeriod = viewIndex<IndexedView>(resourceTypes.cluster, (cluster) => [
  String(periodMsOf(cluster as unknown as Cluster)),
]);

function periodMsOf(cluster: Cluster): number {
  return heartbeatOf(cluster, cluster.status?.effective?.heartbeatPeriodSeconds).periodSeconds * 1000;
}
