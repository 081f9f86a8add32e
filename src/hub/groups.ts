import { countOf, oneOrMany } from "../core/count-of.ts";
import type { ClusterGroup, ClusterGroupStatus } from "../model/generated/cluster-group.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { toConditions } from "../planning/conditions.ts";
import type { GroupMembers, Members } from "./group-members.ts";
import type { HubPorts } from "./hub-ports.ts";
import { createHubWriter } from "./hub-writer.ts";

/** Names that a status has. */
const shownNames = 20;

interface GroupPorts extends Pick<HubPorts, "hubApi" | "view" | "clock" | "log"> {
  readonly groupMembers: GroupMembers;
}

/**
 * Writes the status of every group of a workspace: how many members it has, and which of them are not ready. A group of which
 * neither the object nor a member changed since it was compared is passed over.
 */
export async function reconcileGroups(ports: GroupPorts, workspace: string, signal: AbortSignal): Promise<void> {
  const { view, groupMembers } = ports;
  const groups = view.list(resourceTypes.clusterGroup, workspace) as readonly unknown[] as readonly ClusterGroup[];
  if (groups.length === 0) return groupMembers.forget(workspace);
  const write = createHubWriter(ports, signal);
  const members = await groupMembers.find(workspace, groups, signal);
  for (const group of groups) {
    const found = members.get(group.metadata.name);
    if (found === undefined || found.shownBy === group) continue;
    const ref = refOf(resourceTypes.clusterGroup, group);
    const isWritten = await write.applyStatus({ ref, status: statusOf(group, found, ports) }, group);
    // The written status is compared once more: the hub may answer with another one.
    found.shownBy = isWritten ? undefined : group;
  }
}

function statusOf(
  group: ClusterGroup,
  { clusters, readyClusters, notReady: others }: Members,
  { clock }: Pick<HubPorts, "clock">,
): ClusterGroupStatus {
  const isReady = readyClusters === clusters;
  const notReady = others.firstLines(shownNames).map((line) => line.trimEnd());
  const result = {
    type: "Ready",
    status: isReady ? ("True" as const) : ("False" as const),
    reason: isReady ? "AllReady" : "SomeNotReady",
    message: `${readyClusters} of ${countOf(clusters, "cluster")} ${oneOrMany(clusters, "is", "are")} ready.`,
  };
  const { generation } = group.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    clusters,
    readyClusters,
    ...(notReady.length > 0 ? { notReady } : {}),
    conditions: toConditions([result], group.status?.conditions, { nowMs: clock.nowMs() }),
  };
}
