import type { LeaveStep } from "../join/join.ts";
import type { MemberLeave } from "../model/cluster-memory.ts";
import type { ClusterStatus } from "../model/generated/cluster.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { annotationKeys } from "../model/well-known.ts";
import { toTime } from "../planning/conditions.ts";
import type { HubContext } from "./hub-context.ts";
import { recordLeftBehind } from "./left-behind.ts";
import { takeStep, waitForStep } from "./leave-step.ts";

/** An agent that cannot be reached for this long is left where it is, and named. */
const deletionTimeoutMs = 15 * 60_000;
/** The same of one that was revoked. */
const revokedTimeoutMs = 60_000;
const uninstallRetryMs = 500;
const lookAgainMs = 1;

export type LeavePhase = NonNullable<NonNullable<ClusterStatus["leave"]>["phase"]>;

export interface TakenSteps {
  /** As its protocol knows it: the kubeconfig is that of its Cluster. */
  readonly member: Member;
  /** When (epoch ms) the first of these steps could be taken. */
  readonly beganMs: number;
  /** Says how far it is. */
  readonly show: (phase: LeavePhase) => Promise<void>;
  /** Asked before each step, after it was shown: nobody wants the steps any more. Default: they are wanted. */
  readonly isOff?: () => boolean;
  /** Remembers what was done, lest it is done or awaited again. */
  readonly remember: (done: Pick<MemberLeave, "isUninstalled" | "revokedAt">) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Takes the steps by which an agent and its hub part, in order, as far as they go now. Milliseconds after which to go on;
 * 0 when all are taken. What cannot be reached is tried for a quarter of an hour, then left where it is. That is how somebody
 * ends the wait: a revoked agent can answer nothing any more and is not waited for, and it is removed within a minute or not.
 */
export async function takeSteps(
  context: HubContext,
  steps: readonly LeaveStep[],
  { member, beganMs, show, isOff, remember, signal }: TakenSteps,
): Promise<number> {
  const { nowMs } = context.hubFacts();
  for (const step of steps) {
    await show(phaseOf(step));
    if (isOff?.() === true) return lookAgainMs;
    if (step.kind === "tell-agent" && patienceMs(step, member) === 0) continue;
    if (step.kind === "wait" || step.kind === "tell-agent") {
      const remainingMs = await waitForStep(context, step, signal);
      if (remainingMs > 0) return remainingMs;
      continue;
    }
    const isDone = await takeStep(context, step, { member, signal });
    if (!isDone && nowMs - beganMs < patienceMs(step, member)) return uninstallRetryMs;
    if (!isDone) await tellLeftBehind(context, member, { step, signal });
    if (step.kind === "uninstall" || step.kind === "ask-agent") await remember({ isUninstalled: true });
    if (step.kind === "delete" && step.purpose === "revoke") await remember({ revokedAt: toTime(nowMs) });
  }
  return 0;
}

function patienceMs({ kind }: LeaveStep, { cluster }: Member): number {
  if (cluster.metadata.annotations?.[annotationKeys.revoked] === undefined) return deletionTimeoutMs;
  return kind === "uninstall" ? revokedTimeoutMs : 0;
}

/** What stays in a cluster that was given up, for whoever comes to it later. */
async function tellLeftBehind(
  context: HubContext,
  member: Member,
  { step, signal }: { readonly step: LeaveStep; readonly signal: AbortSignal },
): Promise<void> {
  const { workspace, name, cluster } = member;
  const left = step.kind === "uninstall" ? step.refs.map(describeRef) : ["the agent"];
  await recordLeftBehind(context, member, { left, signal });
  context.log.warn("leaving without the agent's removal: its cluster could not be reached", {
    cluster: `${workspace}/${name}`,
    left,
  });
  const message = `Its cluster could not be reached in time; what is left there: ${left.join(", ")}.`;
  context.events?.note({ regarding: cluster, type: "Warning", reason: "AgentLeftBehind", message });
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
