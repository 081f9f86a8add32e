import { ownValue } from "../../core/own-value.ts";
import { compact } from "../../core/compact.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterRow, ClusterState } from "../../model/generated/page-api.ts";
import { labelKeys } from "../../model/well-known.ts";
import type { ClusterPhase } from "../cluster-phase.ts";
import { clusterPhase, clusterState } from "../cluster-phase.ts";
import { findCondition } from "../conditions.ts";

const mostLabels = 64;

/** The sign of each state. Without heartbeats, the health of a cluster is unknown. */
const signs: Readonly<Record<ClusterPhase, ClusterState>> = {
  Declared: "unknown",
  Revoked: "notReady",
  Rejected: "notReady",
  Joining: "notReady",
  AwaitingReport: "unknown",
  Ready: "ready",
  Unhealthy: "notReady",
  Unresponsive: "unknown",
  Moving: "notReady",
  Leaving: "leaving",
};

/** The sign of a state in a record of the status branch: `Ready`, or `Ready,Suspended`. A state of a newer version is unknown. */
export function signOfState(state: string): ClusterState {
  const [phase = ""] = state.split(",");
  return ownValue(signs, phase) ?? "unknown";
}

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
    state: signs[clusterPhase(cluster)],
    phase: clusterState(cluster),
    ready: ready?.status ?? "Unknown",
    healthy: healthy?.status ?? "Unknown",
    reason: ready?.reason ?? "NotSeenYet",
    message: ready?.status === "True" ? undefined : (ready?.message ?? messageBeforeStatus(cluster)),
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

/** A user may have written it on the hub, in a namespace that no daemon reads. */
function messageBeforeStatus({ metadata }: Cluster): string {
  if (metadata.labels?.[labelKeys.repository] !== undefined) return "The daemon has not reconciled it yet.";
  return `No file of a Repository declares it. Write one and push, or delete it on the hub. The daemon serves only namespaces with the label ${labelKeys.workspace}.`;
}

/** Labels that people gave it, sorted by key. */
export function ownLabels({ metadata }: Cluster): (readonly [string, string])[] {
  return Object.entries(metadata.labels ?? {})
    .filter(([key]) => !key.startsWith("rollcall.dev/"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
