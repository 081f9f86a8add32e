import type { MemberOffboarding } from "../../../model/member-state.ts";
import { isPlacedRemoved } from "../../../planning/cluster-settings.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { describeRef, refOf } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import type { ClusterStatusInputs } from "../../../planning/cluster-status-inputs.ts";
import { graceEndMs } from "../../../planning/cluster-settings.ts";
import { toTime, withConditionsOf } from "../../../planning/conditions.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberPorts, MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";
import { recordLeftBehind } from "../left-behind.ts";
import { tryWrite } from "../run-offboarding-step.ts";
import type { OffboardingPhase } from "../run-offboarding-steps.ts";
import { runOffboardingSteps } from "../run-offboarding-steps.ts";
import { applyValidStatus, clusterStatusOf, writeProtocolStatuses } from "./write-status.ts";

/** An offboarding that started this long after its grace period was held by published objects. */
const longWaitMs = 60_000;
/** Names of placed objects that a report has. */
const mostNames = 20;

type OffboardPorts = Pick<
  MemberPorts,
  | "hubApi"
  | "view"
  | "hubFacts"
  | "health"
  | "events"
  | "childFights"
  | "log"
  | "clock"
  | "connectDownstream"
  | "callAside"
  | "publishedHoldMs"
  | "answerWaitMs"
>;

/** When an offboarding began, by the commit that asks for it. */
interface Began {
  readonly commit: string;
  readonly since: string;
}

/**
 * Runs one step of an offboarding: waits for the grace period and for other tools that use published objects, uninstalls or
 * detaches the agent, revokes its credentials, removes its objects, at last the Cluster. Each step finishes after an
 * interruption. A file that returns during the grace period removes the annotation and so cancels the offboarding. Later it
 * cannot: the status is written before the first step, and the answer of that write shows whether the annotation was removed
 * before.
 */
export async function offboard(scope: MemberScope, ports: OffboardPorts): Promise<PhaseResult> {
  const { member, write, hub } = scope;
  const commit = member.cluster.metadata.annotations?.[annotationKeys.leave];
  if (commit === undefined) return next;
  const { nowMs } = hub;
  const recorded = member.state?.leave?.commit === commit ? member.state.leave : undefined;
  const shown = member.cluster.status?.leave?.commit === commit ? member.cluster.status.leave : undefined;
  const began: Began = { commit, since: recorded?.since ?? shown?.since ?? toTime(nowMs) };
  if (member.state && !recorded) await write.writeState(member, { ...member.state, leave: began });
  const beganMs = graceEndMs(member.cluster, began.since);
  const show = (phase: OffboardingPhase): Promise<void> =>
    writeOffboardingStatus(scope, ports, { member, leave: { ...began, phase } });
  const waitMs = nowMs < beganMs ? beganMs - nowMs : ports.publishedHoldMs(member, beganMs);
  if (waitMs > 0) {
    await show("Waiting");
    return done(waitMs);
  }
  // The time for the agent's removal begins with the first step, however long other tools were waited for.
  const wasHeld = member.cluster.status?.leave?.phase === "Waiting" && nowMs - beganMs > longWaitMs;
  const releasedAt = recorded?.releasedAt ?? (wasHeld ? toTime(nowMs) : undefined);
  const record = (leave: Partial<MemberOffboarding>): Promise<void> =>
    write.updateState(scope, (state) => state && { ...state, leave: { ...began, ...state.leave, ...leave } });
  if (member.state && releasedAt !== undefined && recorded?.releasedAt === undefined) await record({ releasedAt });
  const seen = scope.readAgain();
  const stepsWaitMs = await runOffboardingSteps({ ...ports, write }, scope.protocol.offboardingSteps(seen, scope.hub), {
    member: seen,
    beganMs: releasedAt === undefined ? beganMs : Date.parse(releasedAt),
    show,
    isCancelled: () => isCancelled(ports, scope, commit),
    record,
    signal: scope.signal,
  });
  if (stepsWaitMs > 0) return done(stepsWaitMs);
  const keptNames = isPlacedRemoved(member.cluster) ? [] : namesOf(scope.protocol.placedObjects(member));
  if (keptNames.length > 0) await recordLeftBehind(ports, member, { left: keptNames, signal: scope.signal });
  await deleteCluster(scope, ports, joinStays(scope.protocol.whatStaysDownstream(member), keptNames));
  return done();
}

function namesOf(objects: readonly KubeObject[]): string[] {
  const named = objects.slice(0, mostNames).map((object) => [resourceTypeOf(object), object] as const);
  return named.flatMap(([type, object]) => (type === undefined ? [] : [describeRef(refOf(type, object))]));
}

function joinStays(stays: string | undefined, keptNames: readonly string[]): string | undefined {
  if (keptNames.length === 0) return stays;
  const kept = `What its agent applied stays in the cluster, of: ${keptNames.join(", ")}.`;
  return stays === undefined ? kept : `${stays} ${kept}`;
}

/** Deletes the Cluster, the last object of the member. */
async function deleteCluster(
  { workspace: namespace, name, key, write }: MemberScope,
  { view, events, log }: Pick<HubPorts, "view" | "events" | "log">,
  stays: string | undefined,
): Promise<void> {
  const live = view.get({ type: resourceTypes.cluster, namespace, name });
  const commit = live?.metadata.annotations?.[annotationKeys.leave];
  if (!live || commit === undefined) return;
  const { uid = "", resourceVersion = "" } = live.metadata;
  await write.delete(refOf(resourceTypes.cluster, live), { uid, resourceVersion });
  const message = `The cluster has left the fleet, as of commit ${commit}.${stays === undefined ? "" : ` ${stays}`}`;
  events.record({ regarding: live, type: "Normal", reason: "Left", message });
  log.info("cluster left", { cluster: key, commit, ...(stays === undefined ? {} : { staysDownstream: stays }) });
}

function isCancelled(
  { view }: Pick<HubPorts, "view">,
  { workspace: namespace, name }: MemberScope,
  commit: string,
): boolean {
  const live = view.get({ type: resourceTypes.cluster, namespace, name });
  return live !== undefined && live.metadata.annotations?.[annotationKeys.leave] !== commit;
}

async function writeOffboardingStatus(
  scope: MemberScope,
  ports: Pick<HubPorts, "childFights" | "health" | "view" | "events" | "log">,
  { member, leave }: { readonly member: Member; readonly leave: NonNullable<ClusterStatusInputs["leave"]> },
): Promise<void> {
  const { protocol, hub, key } = scope;
  const { state, cluster } = scope.readAgain();
  const { commit, revokedAt } = state?.leave ?? {};
  const isRevokedByOffboarding = commit === leave.commit && revokedAt !== undefined;
  // The member as this pass found it, since a step that deletes its objects does not change what they reported; but each
  // condition since the step that changed it.
  const found = { ...member, cluster: withConditionsOf(member.cluster, cluster) };
  const status = clusterStatusOf({ member: found, protocol, hub, key }, ports, { leave, isRevokedByOffboarding });
  const ref = { type: resourceTypes.cluster, namespace: scope.workspace, name: scope.name };
  await applyValidStatus(scope, { ref, status }, cluster);
  // They hold what the agent reports, which must not keep it in the fleet.
  await tryWrite(ports, scope, () =>
    writeProtocolStatuses(scope, ports, scope.protocol.offboardingStatusWrites(scope.member, scope.hub, status)),
  );
}
