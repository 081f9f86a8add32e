import type { ClusterName } from "../model/member-state.ts";
import { memberStateName, readMemberState } from "../model/member-state.ts";
import { refOf } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { isSameCluster } from "../model/previous-name.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { remadeCluster } from "../planning/member-origin.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
import type { HubPorts } from "./hub-ports.ts";
import { createHubWriter } from "./hub-writer.ts";
import type { HubView } from "./hub-view.ts";
import { viewIndex } from "./view-index.ts";

const notSyncedRetryMs = 1000;

type StatePorts = Pick<HubPorts, "hubApi" | "view" | "protocols" | "log">;

/**
 * A member that has a state and no Cluster, with the Cluster that it is to have again. Undefined where its state does not
 * contain how that was made.
 */
export function memberWithoutCluster(view: HubView, target: ClusterName): Member | undefined {
  const { workspace, name } = target;
  const state = view.memberStateOf(workspace, name);
  const remade = state && remadeCluster(target, state, successorOfState(view, target));
  const children = view.childrenOf(labelKeys.cluster, workspace, name);
  return remade && { workspace, name, cluster: remade.object, state, children };
}

/**
 * Reconciles a member whose Cluster was deleted without an offboarding. Its Cluster is made again from its state. Where the state
 * is deleted too, its accounts and credentials are deleted, so that none outlives its cluster. The API server is asked before
 * either: a watch may be late.
 */
export async function reconcileStateWithoutCluster(
  ports: StatePorts,
  target: ClusterName,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { view, hubApi } = ports;
  const { workspace, name } = target;
  if (!view.isWorkspace(workspace)) return undefined;
  const children = view.childrenOf(labelKeys.cluster, workspace, name);
  if (children.length === 0) return undefined;
  if (!view.isComplete) return notSyncedRetryMs;
  const inWorkspace = { namespace: workspace };
  const clusterRef = { type: resourceTypes.cluster, ...inWorkspace, name };
  const live = await hubApi.get(clusterRef, { signal });
  if (live) {
    view.recordWritten(clusterRef.type, live);
    return undefined;
  }
  const memberStateObject = await hubApi.get(
    { type: resourceTypes.configMap, ...inWorkspace, name: memberStateName(name) },
    { signal },
  );
  if (!memberStateObject) {
    await removeLeftovers(ports, { ...target, children }, signal);
    return undefined;
  }
  const state = readMemberState(memberStateObject);
  const remade = state && remadeCluster(target, state, successorOfState(view, target));
  if (!remade) return undefined;
  await createHubWriter(ports, signal).apply(remade.object, remade.manager);
  ports.log.warn("cluster was deleted manually and is created again", { cluster: `${workspace}/${name}` });
  return undefined;
}

/**
 * The member that took over this one's state, if its agent was on its way there. One of another workspace must be named by that
 * state, too: who may write there would otherwise have a cluster of others made again as one that becomes theirs, and removed.
 */
function successorOfState(view: HubView, { workspace, name }: ClusterName): ClusterName | undefined {
  const { takenOverBy, movedFrom } = view.memberStateOf(workspace, name) ?? {};
  for (const { metadata } of successors(view, `${workspace}/${name}`)) {
    const found = view.memberOf(metadata.namespace ?? "", metadata.labels?.[labelKeys.cluster] ?? "");
    if (found === undefined || !view.isWorkspace(found.workspace)) continue;
    // A move that is called off leads back to where the state came from.
    const isNamed = isSameCluster(takenOverBy, found) || isSameCluster(movedFrom, found);
    if (found.workspace === workspace || isNamed) return { workspace: found.workspace, name: found.name };
  }
  return undefined;
}

/** Member states by the member that they were taken over from: without it, each lost Cluster costs a scan of all members. */
const successors = viewIndex(resourceTypes.configMap, ({ metadata }, view) => {
  const name = metadata.labels?.[labelKeys.cluster];
  if (name === undefined || metadata.name !== memberStateName(name)) return [];
  const from = view.memberStateOf(metadata.namespace ?? "", name)?.movedFrom;
  return from === undefined ? [] : [`${from.workspace}/${from.name}`];
});

async function removeLeftovers(
  ports: StatePorts,
  { workspace, name, children }: ClusterName & { readonly children: ReturnType<HubView["childrenOf"]> },
  signal: AbortSignal,
): Promise<void> {
  const ownedTypes = new Set([...ports.protocols.values()].flatMap((protocol) => protocol.ownedTypes));
  const changes = children.flatMap((child) => {
    const type = resourceTypeOf(child);
    const { uid = "", resourceVersion = "", namespace } = child.metadata;
    const isHubs = type !== undefined && ownedTypes.has(type) && isAppliedBy(child, fieldManagers.hub);
    if (!isHubs || namespace !== workspace || child.metadata.deletionTimestamp !== undefined) return [];
    const reason = "neither its cluster nor the state of it is there any more";
    return [{ kind: "delete" as const, ref: refOf(type, child), uid, resourceVersion, reason }];
  });
  if (changes.length === 0) return;
  ports.log.warn("cluster and state are deleted: its credentials are deleted too", { cluster: `${workspace}/${name}` });
  await createHubWriter(ports, signal).execute(changes);
}
