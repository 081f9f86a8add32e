import { isJsonEqual } from "../core/json.ts";
import type { JoinProtocol } from "../join/join.ts";
import { refOf } from "../model/kubernetes.ts";
import type { ClusterName } from "../model/cluster-memory.ts";
import type { Member } from "../model/member.ts";
import { readPreviousName } from "../model/previous-name.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { movedMemory } from "../planning/moved-memory.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
import type { HubContext } from "./hub-context.ts";
import { createMemory, writeMemory } from "./hub-context.ts";
import { takeStep } from "./leave-step.ts";

/** A cluster that is renamed again before its agent followed: so often at most. */
const mostSteps = 20;

/** The cluster that a member is becoming, by the mark that git's half set. */
export function heirOf({ cluster }: Member): ClusterName | undefined {
  const to = cluster.metadata.annotations?.[annotationKeys.movedTo];
  return to === undefined ? undefined : readPreviousName(to, "");
}

/**
 * Gives a member that has no agent yet the memory of the cluster whose place it takes. Both sides must say so: its own
 * `previousName`, and the mark on the former one. True when the memory was written or has to be looked at again.
 */
export async function takeOverMemory(context: HubContext, member: Member, signal: AbortSignal): Promise<boolean> {
  const { workspace, name, memory } = member;
  const previous = member.cluster.spec?.previousName;
  if (previous === undefined || memory?.keys !== undefined || memory?.movedFrom !== undefined) return false;
  const from = readPreviousName(previous, workspace);
  const former = context.view.memberOf(from.workspace, from.name);
  const heir = former && heirOf(former);
  if (!former || heir?.workspace !== workspace || heir.name !== name) return false;
  if (!memory && !(await createMemory(context, member, signal))) return true;
  const seen = context.view.memoryOf(workspace, name);
  await writeMemory(context, member, movedMemory(former, seen), signal);
  context.log.info("cluster takes over", { cluster: `${workspace}/${name}`, from: `${from.workspace}/${from.name}` });
  return true;
}

/**
 * A move that is called off after the agent went: it goes back the way it came. The cluster that it works as does not leave
 * before that; it becomes the former one again. True when that was written or has to be looked at again.
 */
export async function sendBack(
  context: HubContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<boolean> {
  const { memory, cluster } = member;
  const from = memory?.movedFrom;
  const former = from && context.view.memberOf(from.workspace, from.name);
  if (!former || !isThereToComeBackTo(former, member) || memory.leave?.revokedAt !== undefined) return false;
  if (!protocol.factsOf(member, context.hubFacts()).hasJoined) return false;
  if (!former.memory && !(await createMemory(context, former, signal))) return true;
  const seen = context.view.memoryOf(former.workspace, former.name);
  await writeMemory(context, former, movedMemory(member, seen), signal);
  const [back, name] = [`${former.workspace}/${former.name}`, `${member.workspace}/${member.name}`];
  const annotations = { [annotationKeys.leave]: null, [annotationKeys.movedTo]: back };
  const patch = { metadata: { uid: cluster.metadata.uid ?? "", annotations } };
  const ref = refOf(resourceTypes.cluster, cluster);
  const written = await context.hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.git, signal });
  context.view.noteWritten(ref.type, written);
  context.log.info("a move is called off: the agent goes back", { cluster: name, to: back });
  return true;
}

/** It is declared, and stays; whoever it is, it is that agent or nobody. */
function isThereToComeBackTo({ cluster, memory }: Member, member: Member): boolean {
  const { annotations = {}, deletionTimestamp } = cluster.metadata;
  const isStaying = [annotationKeys.leave, annotationKeys.movedTo, annotationKeys.revoked, annotationKeys.reconcile]
    .map((key) => annotations[key])
    .every((value) => value === undefined);
  const isSame =
    cluster.spec?.protocol === member.cluster.spec?.protocol &&
    (memory?.keys === undefined || isJsonEqual(memory.keys, member.memory?.keys));
  return isStaying && isSame && deletionTimestamp === undefined && isAppliedBy(cluster, fieldManagers.git);
}

/** Once the former cluster is gone whole, the member is like any other. */
export async function forgetFormer(context: HubContext, member: Member, signal: AbortSignal): Promise<void> {
  const { movedFrom, ...memory } = member.memory ?? {};
  if (!movedFrom) return;
  const { workspace: namespace, name } = movedFrom;
  const isThere = context.view.get({ type: resourceTypes.cluster, namespace, name }) !== undefined;
  if (isThere || context.view.memoryOf(namespace, name)) return;
  await writeMemory(context, member, memory, signal);
}

/**
 * Removes a member whose agent works under another name now: its accounts and credentials, what was said of it, at last its
 * Cluster. Downstream nothing is touched. False while it is not that far: until then both names are good.
 */
export async function finishMove(
  context: HubContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<boolean> {
  const heir = arrivedAs(context, protocol, member);
  // One after the other, oldest first: whoever comes back late has to find the way.
  if (!heir || member.former) return false;
  for (const step of protocol.leaveSteps(member, context.hubFacts())) {
    if (step.kind === "delete") await takeStep(context, step, { member, signal });
  }
  const ref = refOf(resourceTypes.cluster, member.cluster);
  const live = context.view.get(ref);
  if (live?.metadata.annotations?.[annotationKeys.movedTo] === undefined) return true;
  const { uid = "", resourceVersion = "" } = live.metadata;
  await context.hubApi.delete(ref, { uid, resourceVersion, signal });
  context.view.noteDeleted(ref);
  const [from, now] = [`${member.workspace}/${member.name}`, `${heir.workspace}/${heir.name}`];
  const message = `The cluster was ${from} before; its agent works under the new name.`;
  context.events?.note({ regarding: heir.cluster, type: "Normal", reason: "Moved", message });
  context.log.info("cluster moved", { cluster: now, from });
  return true;
}

function isTakenOver({ memory }: Member, { workspace, name }: Member): boolean {
  return memory?.movedFrom?.workspace === workspace && memory.movedFrom.name === name;
}

/** The heir, if the agent works as it, or as an heir of the heir; or if there never was an agent. */
function arrivedAs(context: HubContext, protocol: JoinProtocol, member: Member): Member | undefined {
  let passed = member;
  for (let step = 0; step < mostSteps; step++) {
    const to = heirOf(passed);
    const heir = to && context.view.memberOf(to.workspace, to.name);
    if (!heir || !isTakenOver(heir, passed)) return undefined;
    if (heir.memory?.keys === undefined || protocol.factsOf(heir, context.hubFacts()).hasJoined) return heir;
    passed = heir;
  }
  return undefined;
}
