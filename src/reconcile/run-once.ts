import { isPostponed, nextFightInMs } from "../planning/field-fights.ts";
import { countRemovals } from "./count-removals.ts";
import { executePlan } from "./execute-plan.ts";
import type { HubFollower } from "./follow-hub.ts";
import { planHead } from "./plan-head.ts";
import { ProposalBranches } from "./proposals.ts";
import { propose } from "./propose.ts";
import { AdmittedProposer } from "./propose-admitted.ts";
import { readHead } from "./read-head.ts";
import type { ReconcilerOptions, RunPhase } from "./reconciler-options.ts";
import { reportRun } from "./report-run.ts";
import type { RunReason, RunScope } from "./run-scope.ts";
import { initialState, keptState, openRunScope } from "./run-scope.ts";
import { settlePlan } from "./settle-plan.ts";
import { createProblemReporter } from "./report-problems.ts";
import type { ProblemReporter } from "./report-problems.ts";
import type { StatusRecorder } from "./status-recorder.ts";
import type { StatusBranch } from "./write-back.ts";
import type { TouchedObjects } from "./touched-objects.ts";
import { writeRepositoryStatus } from "./write-repository-status.ts";
import { writeStatusBranch } from "./write-status-branch.ts";

/** What a run works with. */
interface RunPorts extends ReconcilerOptions {
  /** Default: what people do on the hub becomes no change of files. */
  readonly hubFollower?: Pick<HubFollower, "follow" | "confirm" | "isEditedSince">;
  /** Default: every plan is a whole one. */
  readonly touched?: TouchedObjects;
  readonly statusBranch: StatusBranch;
  readonly recorder: StatusRecorder;
  readonly proposalBranches: ProposalBranches;
  readonly admittedProposer: AdmittedProposer;
  readonly reportProblems: ProblemReporter;
}

interface Phase {
  readonly run: (scope: RunScope, ports: RunPorts) => Promise<void> | void;
  /** Under this name the metrics show what it took. Absent: they do not. */
  readonly timedAs?: RunPhase;
}

/** Make the hub follow the branch. */
const followBranch: readonly Phase[] = [
  { run: readHead, timedAs: "read" },
  { run: followHub, timedAs: "propose" },
  { run: planHead, timedAs: "plan" },
  { run: countRemovals },
  { run: executePlan, timedAs: "execute" },
  { run: ({ outcomes }, { hubFollower }) => hubFollower?.confirm(outcomes) },
  { run: settlePlan },
  { run: propose, timedAs: "propose" },
];

/** Report what the members have become. The status branch shows the status, and the status shows the status commit. */
const reportFleet: readonly Phase[] = [
  { run: writeRepositoryStatus },
  { run: writeStatusBranch, timedAs: "writeBack" },
  { run: writeRepositoryStatus },
  { run: reportRun },
];

/**
 * The run of a Repository. It returns milliseconds until something is due by itself. It throws when writes failed, so that the
 * queue retries with back-off.
 */
export function createRun(
  options: ReconcilerOptions,
  {
    statusBranch,
    recorder,
    hubFollower,
    touched,
  }: Pick<RunPorts, "statusBranch" | "recorder" | "hubFollower" | "touched">,
): (reason: RunReason, signal: AbortSignal) => Promise<number | undefined> {
  const ports: RunPorts = {
    ...options,
    statusBranch,
    recorder,
    ...(hubFollower ? { hubFollower } : {}),
    ...(touched ? { touched } : {}),
    proposalBranches: new ProposalBranches(options.git),
    admittedProposer: new AdmittedProposer(options),
    reportProblems: createProblemReporter(options.log),
  };
  let state = initialState;
  return async (reason, signal) => {
    const repository = ports.readRepository();
    if (!repository || repository.spec.suspend === true) return undefined;
    await ports.view.whenSynced(signal);
    const startedAtMs = ports.clock.monotonicMs();
    const isFightDue = state.postponed.some((change) => !isPostponed(change, state.fights, startedAtMs));
    const isFollowing = reason === "read" || state.settledPlan === undefined || isFightDue;
    const scope = openRunScope({ repository, reason, signal, startedAtMs, isFollowing }, state);
    try {
      for (const phase of [...(isFollowing ? followBranch : []), ...reportFleet]) await runPhase(phase, scope, ports);
    } finally {
      state = keptState(scope);
    }
    const fightInMs = nextRevertInMs(scope, ports.clock.monotonicMs());
    if (scope.nextWriteInMs === undefined || fightInMs === undefined) return scope.nextWriteInMs ?? fightInMs;
    return Math.min(scope.nextWriteInMs, fightInMs);
  };
}

/** Milliseconds until a field that is fought over is due. The time of one that this run postponed may have come since. */
function nextRevertInMs({ fights, postponed, edited }: RunScope, nowMs: number): number | undefined {
  const held = postponed.filter((change) => !edited.includes(change));
  return held.every((change) => isPostponed(change, fights, nowMs)) ? nextFightInMs(fights, nowMs) : 0;
}

async function followHub(scope: RunScope, { hubFollower }: RunPorts): Promise<void> {
  scope.hubBranches = (await hubFollower?.follow(scope)) ?? [];
}

async function runPhase({ run, timedAs }: Phase, scope: RunScope, ports: RunPorts): Promise<void> {
  const startMs = ports.clock.monotonicMs();
  await run(scope, ports);
  if (timedAs !== undefined) scope.phasesMs[timedAs] = ports.clock.monotonicMs() - startMs;
}
