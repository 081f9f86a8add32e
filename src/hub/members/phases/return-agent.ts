import { isJsonEqual } from "../../../core/json.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { isSameCluster } from "../../../model/previous-name.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../../../model/well-known.ts";
import { originOf } from "../../../planning/member-origin.ts";
import { movedState } from "../../../planning/moved-state.ts";
import { isAppliedBy } from "../../../planning/owned-fields.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";

/**
 * A move that is cancelled after the agent moved: the agent returns the same way. The cluster that it works as is not removed
 * before that; it becomes the predecessor's predecessor again. Requeues at once when it wrote, or when the state exists already.
 */
export async function returnAgent(
  scope: MemberScope,
  { view, log }: Pick<HubPorts, "view" | "log">,
): Promise<PhaseResult> {
  const { member, protocol, write } = scope;
  const { state, cluster } = member;
  if (cluster.metadata.annotations?.[annotationKeys.leave] === undefined) return next;
  const from = state?.movedFrom;
  const former = from && view.memberOf(from.workspace, from.name);
  if (!former || !canTakeBack(former, member) || state.leave?.revokedAt !== undefined) return next;
  // The state of this member proves nothing to another workspace: who may write here would become a cluster there.
  if (former.workspace !== member.workspace && !isSameCluster(former.state?.takenOverBy, member)) return next;
  if (!protocol.factsOf(member, scope.hub).hasJoined) return next;
  if (!former.state && !(await write.createState(former, { origin: originOf(former.cluster) }))) return done(0);
  await write.updateState(former, (live) => movedState(member, { ...former, state: live }));
  const [back, name] = [`${former.workspace}/${former.name}`, scope.key];
  const annotations = { [annotationKeys.leave]: null, [annotationKeys.movedTo]: back };
  const patch = { metadata: { uid: cluster.metadata.uid ?? "", annotations } };
  await write.patch(refOf(resourceTypes.cluster, cluster), patch, fieldManagers.git);
  log.info("a move is called off: the agent returns", { cluster: name, to: back });
  return done(0);
}

/** It is declared and not being removed; it has this agent or none. */
function canTakeBack({ cluster, state }: Member, member: Member): boolean {
  const { annotations = {}, deletionTimestamp } = cluster.metadata;
  const isStaying = [annotationKeys.leave, annotationKeys.movedTo, annotationKeys.revoked, annotationKeys.reconcile]
    .map((key) => annotations[key])
    .every((value) => value === undefined);
  const isSame =
    cluster.spec?.protocol === member.cluster.spec?.protocol &&
    (state?.keys === undefined || isJsonEqual(state.keys, member.state?.keys));
  return isStaying && isSame && deletionTimestamp === undefined && isAppliedBy(cluster, fieldManagers.git);
}
