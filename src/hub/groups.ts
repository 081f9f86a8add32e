import { countOf, oneOrMany } from "../core/count-of.ts";
import { compareNames } from "../core/compare-names.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterGroup } from "../model/generated/cluster-group.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { matchesSelector } from "../model/selector.ts";
import { labelKeys } from "../model/well-known.ts";
import { withoutEditsByHand } from "../planning/edits-by-hand.ts";
import { findCondition, toConditions } from "../planning/conditions.ts";
import type { HubPorts } from "./hub-ports.ts";
import { createHubWriter } from "./hub-writer.ts";

/** Counts the members of every group of a workspace. A group chooses among the clusters of its own repository. */
export async function reconcileGroups(
  ports: Pick<HubPorts, "hubApi" | "view" | "clock" | "log">,
  workspace: string,
  signal: AbortSignal,
): Promise<void> {
  const { view } = ports;
  const groups = view.list(resourceTypes.clusterGroup, workspace) as readonly unknown[] as readonly ClusterGroup[];
  if (groups.length === 0) return;
  const write = createHubWriter(ports, signal);
  const clusters = (view.list(resourceTypes.cluster, workspace) as readonly Cluster[]).map((cluster) =>
    withoutEditsByHand(cluster, undefined),
  );
  for (const group of groups) {
    const repository = group.metadata.labels?.[labelKeys.repository];
    const members = clusters
      .filter(({ metadata }) => metadata.labels?.[labelKeys.repository] === repository)
      .filter(({ metadata }) => matchesSelector(group.spec?.selector, metadata));
    const notReady = members
      .filter((cluster) => findCondition(cluster.status?.conditions, "Ready")?.status !== "True")
      .map(({ metadata }) => metadata.name)
      .sort(compareNames);
    const readyCount = members.length - notReady.length;
    const result = {
      type: "Ready",
      status: readyCount === members.length ? ("True" as const) : ("False" as const),
      reason: readyCount === members.length ? "AllReady" : "SomeNotReady",
      message: `${readyCount} of ${countOf(members.length, "cluster")} ${oneOrMany(members.length, "is", "are")} ready.`,
    };
    const generation = group.metadata.generation;
    const status = {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      clusters: members.length,
      readyClusters: readyCount,
      ...(notReady.length > 0 ? { notReady: notReady.slice(0, 20) } : {}),
      conditions: toConditions([result], group.status?.conditions, { nowMs: ports.clock.nowMs() }),
    };
    await write.applyStatus({ ref: refOf(resourceTypes.clusterGroup, group), status });
  }
}
