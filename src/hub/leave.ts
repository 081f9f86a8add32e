import type { JoinProtocol, LeaveStep } from "../join/join.ts";
import type { ClusterStatus } from "../model/generated/cluster.ts";
import { refOf } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { computeClusterStatus, remainingGraceMs } from "../planning/cluster-status.ts";
import { toTime } from "../planning/conditions.ts";
import type { HubContext } from "./hub-context.ts";
import { writeMemory, writeStatus } from "./hub-context.ts";
import { takeStep, waitForStep } from "./leave-step.ts";

/** An agent that cannot be reached for this long is left where it is, and named. */
const deletionTimeoutMs = 15 * 60_000;
const uninstallRetryMs = 500;

type LeavePhase = NonNullable<NonNullable<ClusterStatus["leave"]>["phase"]>;

/**
 * Takes one step of a leave: wait for the grace period, uninstall or detach the agent, revoke its credentials, remove its
 * objects, at last the Cluster. Each step finishes after an interruption; re-adding the file during the grace period
 * takes the annotation away and so cancels it.
 */
export async function reconcileLeave(
  context: HubContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const nowMs = context.clock.nowMs();
  const commit = member.cluster.metadata.annotations?.[annotationKeys.leave] ?? "";
  const remembered = member.memory?.leave?.commit === commit ? member.memory.leave : undefined;
  const shown = member.cluster.status?.leave?.commit === commit ? member.cluster.status.leave : undefined;
  const since = remembered?.since ?? shown?.since ?? toTime(nowMs);
  if (member.memory && !remembered) {
    await writeMemory(context, member, { ...member.memory, leave: { commit, since } }, signal);
  }
  const graceMs = remainingGraceMs(member.cluster, since, nowMs);
  const show = async (phase: LeavePhase): Promise<void> => {
    await writeLeaveStatus(context, protocol, { member, phase, since, signal });
  };
  if (graceMs > 0) {
    await show("Waiting");
    return graceMs;
  }
  const seen = context.view.memberOf(member.workspace, member.name) ?? member;
  for (const step of protocol.leaveSteps(seen, context.hubFacts())) {
    await show(phaseOf(step));
    if (step.kind === "wait" || step.kind === "tell-agent") {
      const remainingMs = await waitForStep(context, step, signal);
      if (remainingMs > 0) return remainingMs;
      continue;
    }
    const isTimedOut = nowMs - Date.parse(since) > deletionTimeoutMs;
    const isDone = await takeStep(context, step, { member: seen, signal });
    if (!isDone && !isTimedOut) return uninstallRetryMs;
    if (step.kind === "uninstall" || step.kind === "ask-agent")
      await rememberUninstalled(context, member, { commit, since, signal });
    if (!isDone) {
      context.log.warn("leaving without the agent's removal: its cluster could not be reached", {
        cluster: `${member.workspace}/${member.name}`,
      });
    }
  }
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

async function rememberUninstalled(
  context: HubContext,
  member: Member,
  { commit, since, signal }: { readonly commit: string; readonly since: string; readonly signal: AbortSignal },
): Promise<void> {
  const memory = context.view.memoryOf(member.workspace, member.name);
  if (memory) await writeMemory(context, member, { ...memory, leave: { commit, since, isUninstalled: true } }, signal);
}

function phaseOf(step: LeaveStep): LeavePhase {
  switch (step.kind) {
    case "uninstall":
    case "ask-agent":
    case "tell-agent":
      return "Uninstalling";
    case "wait":
    case "release":
      return "Removing";
    case "delete":
      return step.purpose === "revoke" ? "Revoking" : "Removing";
  }
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
    facts: protocol.factsOf(member, hub),
    ...(agentPeriodSeconds === undefined ? {} : { agentPeriodSeconds }),
    beat: context.health.stateOf(`${member.workspace}/${member.name}`),
    leave: { ...(commit === undefined ? {} : { commit }), phase, since },
  });
  const ref = { type: resourceTypes.cluster, namespace: member.workspace, name: member.name };
  await writeStatus(context, { ref, status }, signal);
}
