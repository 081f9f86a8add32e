import { compact } from "../../core/compact.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterRow, ClusterState } from "../../model/generated/page-api.ts";
import { annotationKeys } from "../../model/well-known.ts";
import { findCondition } from "../conditions.ts";

const mostLabels = 64;

/** A cluster in one line. `groups` are the names of the ClusterGroups that select it. */
export function clusterRow(cluster: Cluster, groups: readonly string[]): ClusterRow {
  const { metadata, spec, status } = cluster;
  const ready = findCondition(status?.conditions, "Ready");
  const healthy = findCondition(status?.conditions, "Healthy");
  const labels = ownLabels(cluster);
  return compact({
    workspace: metadata.namespace ?? "",
    name: metadata.name,
    displayName: spec?.displayName,
    protocol: spec?.protocol ?? "rollcall",
    state: stateOf(cluster),
    ready: ready?.status ?? "Unknown",
    healthy: healthy?.status ?? "Unknown",
    reason: ready?.reason ?? "NotSeenYet",
    message: ready?.status === "True" ? undefined : (ready?.message ?? "The hub has not looked at it yet."),
    since: ready?.lastTransitionTime,
    kubernetesVersion: status?.kubernetesVersion,
    agentVersion: status?.agent?.version,
    nodes: status?.nodes?.total,
    readyNodes: status?.nodes?.ready,
    groups: groups.length === 0 ? undefined : [...groups],
    labels: Object.fromEntries(labels.slice(0, mostLabels)),
    moreLabels: labels.length > mostLabels ? labels.length - mostLabels : undefined,
  });
}

/** An unresponsive agent means an unknown state, unlike a cluster that reports a fault. */
function stateOf({ metadata, status }: Cluster): ClusterState {
  const ready = findCondition(status?.conditions, "Ready");
  if (metadata.annotations?.[annotationKeys.leave] !== undefined || ready?.reason === "Leaving") return "leaving";
  if (ready?.status === "True") return "ready";
  const isJoined = findCondition(status?.conditions, "Joined")?.status === "True";
  const isUnresponsive = isJoined && findCondition(status?.conditions, "Healthy")?.status === "Unknown";
  return ready === undefined || ready.status === "Unknown" || isUnresponsive ? "unknown" : "notReady";
}

/** Labels that people gave it, sorted by key. */
export function ownLabels({ metadata }: Cluster): (readonly [string, string])[] {
  return Object.entries(metadata.labels ?? {})
    .filter(([key]) => !key.startsWith("rollcall.dev/"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
