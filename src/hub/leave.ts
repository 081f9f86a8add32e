import type { JoinProtocol } from "../join/join.ts";
import { refOf } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { computeClusterStatus, graceEndMs } from "../planning/cluster-status.ts";
import { toTime } from "../planning/conditions.ts";
import type { HubContext } from "./hub-context.ts";
import { writeMemory, writeStatus } from "./hub-context.ts";
import { readReportedFacts } from "./reported-facts.ts";
import type { LeavePhase, TakenSteps } from "./take-steps.ts";
import { takeSteps } from "./take-steps.ts";

/** A leave that waited longer than this after its grace period was held up by something else. */
const longWaitMs = 60_000;

/**
 * Takes one step of a leave: wait for the grace period and for other tools that use what is published, uninstall or detach the agent, revoke its credentials, remove its
 * objects, at last the Cluster. Each step finishes after an interruption; re-adding the file during the grace period
 * takes the annotation away and so cancels it. Later it cannot: the phase that is written before the first step says so to
 * whoever plans, and what that write answers says whether somebody was quicker.
 */
export async function reconcileLeave(
  context: HubContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const { nowMs } = context.hubFacts();
  const commit = member.cluster.metadata.annotations?.[annotationKeys.leave] ?? "";
  const remembered = member.memory?.leave?.commit === commit ? member.memory.leave : undefined;
  const shown = member.cluster.status?.leave?.commit === commit ? member.cluster.status.leave : undefined;
  const since = remembered?.since ?? shown?.since ?? toTime(nowMs);
  if (member.memory && !remembered) {
    await writeMemory(context, member, { ...member.memory, leave: { commit, since } }, signal);
  }
  const beganMs = graceEndMs(member.cluster, since);
  const show = async (phase: LeavePhase): Promise<void> => {
    await writeLeaveStatus(context, protocol, { member, phase, since, signal });
  };
  if (nowMs < beganMs) {
    await show("Waiting");
    return beganMs - nowMs;
  }
  const heldMs = context.publishedHoldMs?.(member, beganMs) ?? 0;
  if (heldMs > 0) {
    await show("Waiting");
    return heldMs;
  }
  // The patience with an agent begins with the first step, however long other tools were waited for.
  const wasHeld = member.cluster.status?.leave?.phase === "Waiting" && nowMs - beganMs > longWaitMs;
  const releasedAt = remembered?.releasedAt ?? (wasHeld ? toTime(nowMs) : undefined);
  if (member.memory && releasedAt !== undefined && remembered?.releasedAt === undefined) {
    const { memory } = context.view.memberOf(member.workspace, member.name) ?? member;
    const leave = { commit, since, ...memory?.leave, releasedAt };
    await writeMemory(context, member, { ...(memory ?? member.memory), leave }, signal);
  }
  const seen = context.view.memberOf(member.workspace, member.name) ?? member;
  const remember: TakenSteps["remember"] = async (done) => {
    const memory = context.view.memoryOf(member.workspace, member.name);
    if (memory)
      await writeMemory(context, member, { ...memory, leave: { commit, since, ...memory.leave, ...done } }, signal);
  };
  const steps = protocol.leaveSteps(seen, context.hubFacts());
  const isOff = (): boolean => isCalledBack(context, member, commit);
  const waitMs = await takeSteps(context, steps, {
    member: seen,
    beganMs: releasedAt === undefined ? beganMs : Date.parse(releasedAt),
    show,
    isOff,
    remember,
    signal,
  });
  if (waitMs > 0) return waitMs;
  const live = context.view.get({ type: resourceTypes.cluster, namespace: member.workspace, name: member.name });
  if (!live || live.metadata.annotations?.[annotationKeys.leave] === undefined) return undefined;
  const ref = refOf(resourceTypes.cluster, live);
  const { uid = "", resourceVersion = "" } = live.metadata;
  await context.hubApi.delete(ref, { uid, resourceVersion, signal });
  context.view.noteDeleted(ref);
  const stays = protocol.whatStaysDownstream?.(member);
  context.events?.note({
    regarding: live,
    type: "Normal",
    reason: "Left",
    message: `The cluster has left the fleet, as of commit ${live.metadata.annotations[annotationKeys.leave]}.${stays === undefined ? "" : ` ${stays}`}`,
  });
  context.log.info("cluster left", {
    cluster: `${member.workspace}/${member.name}`,
    commit: live.metadata.annotations[annotationKeys.leave],
    ...(stays === undefined ? {} : { staysDownstream: stays }),
  });
  return undefined;
}

function isCalledBack({ view }: HubContext, { workspace: namespace, name }: Member, commit: string): boolean {
  const live = view.get({ type: resourceTypes.cluster, namespace, name });
  return live !== undefined && live.metadata.annotations?.[annotationKeys.leave] !== commit;
}

async function writeLeaveStatus(
  context: HubContext,
  protocol: JoinProtocol,
  options: {
    readonly member: Member;
    readonly phase: LeavePhase;
    readonly since: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { member, phase, since, signal } = options;
  const hub = context.hubFacts();
  const commit = member.cluster.metadata.annotations?.[annotationKeys.leave];
  const agentPeriodSeconds = protocol.agentPeriodSeconds?.(member);
  const status = computeClusterStatus({
    member,
    hub,
    facts: readReportedFacts(protocol, member, hub),
    ...(agentPeriodSeconds === undefined ? {} : { agentPeriodSeconds }),
    beat: context.health.stateOf(`${member.workspace}/${member.name}`),
    leave: { ...(commit === undefined ? {} : { commit }), phase, since },
  });
  const ref = { type: resourceTypes.cluster, namespace: member.workspace, name: member.name };
  await writeStatus(context, { ref, status }, signal);
  const seen = context.view.memberOf(member.workspace, member.name) ?? member;
  for (const write of protocol.leaveStatusWrites?.(seen, hub, status) ?? []) await writeStatus(context, write, signal);
}
