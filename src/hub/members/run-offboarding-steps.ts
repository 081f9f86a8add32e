import type { OffboardingStep } from "../../join/join.ts";
import type { MemberOffboarding } from "../../model/member-state.ts";
import type { ClusterStatus } from "../../model/generated/cluster.ts";
import { describeRef } from "../../model/kubernetes.ts";
import type { Member } from "../../model/member.ts";
import { annotationKeys } from "../../model/well-known.ts";
import { toTime } from "../../planning/conditions.ts";
import type { HubPorts } from "../hub-ports.ts";
import { recordLeftBehind } from "./left-behind.ts";
import { removePlaced } from "./remove-placed.ts";
import type { StepPorts } from "./run-offboarding-step.ts";
import { runStep, waitForStep } from "./run-offboarding-step.ts";

/** The removal of an agent that cannot be reached is given up after this time; the status names what stays. */
const deletionTimeoutMs = 15 * 60_000;
/** The same of an agent that was revoked. */
const revokedTimeoutMs = 60_000;
const uninstallRetryMs = 500;
const requeueSoonMs = 1;

export type OffboardingPhase = NonNullable<NonNullable<ClusterStatus["leave"]>["phase"]>;

export type OffboardingPorts = StepPorts & Pick<HubPorts, "hubApi" | "hubFacts" | "events" | "answerWaitMs">;

export interface OffboardingRun {
  /** As its protocol knows it: the kubeconfig is that of its Cluster. */
  readonly member: Member;
  /** When (epoch ms) the first of these steps could run. */
  readonly beganMs: number;
  /** Reports the progress. */
  readonly show: (phase: OffboardingPhase) => Promise<void>;
  /** Asked before each step, after it was shown: the offboarding was cancelled. */
  readonly isCancelled: () => boolean;
  /** Records a step, so that it is not run or awaited again. */
  readonly record: (done: Pick<MemberOffboarding, "isUninstalled" | "revokedAt" | "placed">) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Runs the steps by which an agent and its hub part, in order, as far as they can run now. Milliseconds after which to
 * continue; 0 when all are done. An agent that cannot be reached is tried for a quarter of an hour, then it stays. A revocation
 * ends the wait: a revoked agent can answer nothing, so it is not waited for, and its removal is tried for a minute. No wait
 * ends soon after a time in which no answer could arrive, because the hub was away or all machines slept.
 */
export async function runOffboardingSteps(
  ports: OffboardingPorts,
  steps: readonly OffboardingStep[],
  { member, beganMs, show, isCancelled, record, signal }: OffboardingRun,
): Promise<number> {
  const { nowMs } = ports.hubFacts();
  const answerWaitMs = ports.answerWaitMs();
  for (const planned of steps) {
    const step = withTimeToAnswer(planned, nowMs + answerWaitMs);
    await show(phaseOf(step));
    if (isCancelled()) return requeueSoonMs;
    if (step.kind === "notify-agent" && patienceMs(step, member) === 0) continue;
    if (step.kind === "remove-placed") {
      const reportLeft = (left: readonly string[]): Promise<void> =>
        reportLeftBehind(ports, member, { ...placedLeft, left, signal });
      const remainingMs = await removePlaced(ports, step, { member, record, reportLeft, signal });
      if (remainingMs > 0) return remainingMs;
      continue;
    }
    if (step.kind === "wait" || step.kind === "notify-agent") {
      const remainingMs = await waitForStep(ports, step, { member, signal, nowMs: ports.hubFacts().nowMs });
      if (remainingMs > 0) return remainingMs;
      continue;
    }
    const isDone = await runStep(ports, step, { member, signal });
    const patience = patienceMs(step, member);
    if (!isDone && patience > 0 && (nowMs - beganMs < patience || answerWaitMs > 0)) return uninstallRetryMs;
    if (!isDone) await reportLeftBehind(ports, member, { ...agentLeft, left: agentLeftBy(step), signal });
    if (step.kind === "ask-agent" && isDone && step.left !== undefined) {
      await reportLeftBehind(ports, member, { ...agentRemains, left: [step.left], signal });
    }
    if (step.kind === "uninstall" || step.kind === "ask-agent") await record({ isUninstalled: true });
    if (step.kind === "delete" && step.purpose === "revoke") await record({ revokedAt: toTime(nowMs) });
  }
  return 0;
}

function withTimeToAnswer(step: OffboardingStep, earliestEndMs: number): OffboardingStep {
  if (step.kind !== "notify-agent" && step.kind !== "remove-placed") return step;
  return { ...step, untilMs: Math.max(step.untilMs, earliestEndMs) };
}

function patienceMs({ kind }: OffboardingStep, { cluster }: Member): number {
  if (cluster.metadata.annotations?.[annotationKeys.revoked] === undefined) return deletionTimeoutMs;
  return kind === "uninstall" ? revokedTimeoutMs : 0;
}

function agentLeftBy(step: OffboardingStep): readonly string[] {
  return step.kind === "uninstall" ? step.refs.map(describeRef) : ["the agent"];
}

interface LeftBehind {
  /** Of the Event. */
  readonly reason: string;
  /** As a sentence without its end. */
  readonly why: string;
}

const agentLeft: LeftBehind = { reason: "AgentLeftBehind", why: "Its cluster could not be reached in time" };
const agentRemains: LeftBehind = { reason: "AgentLeftBehind", why: "Its agent could not remove everything" };
const placedLeft: LeftBehind = {
  reason: "PlacedLeftBehind",
  why: "Its agent did not remove in time what was placed on the cluster",
};

/** Names what stays in a cluster whose agent could not be removed, or did not remove what was placed. */
async function reportLeftBehind(
  ports: Pick<HubPorts, "hubApi" | "hubFacts" | "log" | "events">,
  member: Member,
  { reason, why, left, signal }: LeftBehind & { readonly left: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const { workspace, name, cluster } = member;
  await recordLeftBehind(ports, member, { left, signal });
  ports.log.warn("leaving without a removal downstream", { cluster: `${workspace}/${name}`, reason, left });
  const message = `${why}; what is left there: ${left.join(", ")}.`;
  ports.events.record({ regarding: cluster, type: "Warning", reason, message });
}

function phaseOf(step: OffboardingStep): OffboardingPhase {
  switch (step.kind) {
    case "uninstall":
    case "ask-agent":
    case "notify-agent":
      return "Uninstalling";
    case "remove-placed":
    case "wait":
    case "release":
      return "Removing";
    case "delete":
      return step.purpose === "revoke" ? "Revoking" : "Removing";
  }
}
