import { smallestOf } from "../core/extremes.ts";
import type { JoinProtocol } from "../join/join.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { heartbeatOf } from "../planning/cluster-status.ts";
import type { HubView } from "./hub-view.ts";
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

/** The shortest heartbeat period (ms) of the clusters; undefined when there is none. */
export function shortestPeriodMs({ view }: Pick<Sources, "view">): number | undefined {
  const clusters = view.list(resourceTypes.cluster) as readonly unknown[] as readonly Cluster[];
  return clusters.length === 0 ? undefined : smallestOf(clusters.map(periodMsOf));
}

function periodMsOf(cluster: Cluster): number {
  return heartbeatOf(cluster, cluster.status?.effective?.heartbeatPeriodSeconds).periodSeconds * 1000;
}
