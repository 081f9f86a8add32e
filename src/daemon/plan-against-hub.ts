import { isAppError } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import type { GitEngine } from "../git/git.ts";
import type { KubeApi } from "../kube/kube.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { realClock } from "../system/real-clock.ts";
import type { PlanReport } from "../model/generated/plan-report.ts";
import type { Plan } from "../model/plan.ts";
import type { Repository } from "../model/generated/repository.ts";
import { shortCommit } from "../core/short-commit.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import { reviewPlan } from "../planning/review-plan.ts";
import { createRepositoryPlanner } from "../review/review.ts";
import type { SourceOptions, SourceSnapshot } from "../review/read-source.ts";
import { filesInForce, readSource } from "../review/read-source.ts";
import type { ParsedFiles } from "../review/wire-source.ts";
import type { VerifiedHead } from "../review/verify-source.ts";
import { dryRunChanges } from "./dry-run-changes.ts";
import { factsForPlans } from "./facts-for-plans.ts";
import { hubPlannerInputs } from "./hub-planner.ts";
import { startView } from "./wire-hub.ts";

export interface HubPlanInputs {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  /** The commit to plan. */
  readonly head: string;
  readonly repository: Repository;
  /** A commit that the plan is asked to start from. */
  readonly base?: string;
  /** The commit is a work tree, which has no signature yet: none is asked for. Default false. */
  readonly isWorkTree?: boolean;
  /** Default: every file is parsed. */
  readonly parsedFiles?: ParsedFiles | undefined;
  /** Whether the hub is asked to check each object. */
  readonly isDryRun: boolean;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Between two checks whether a hub is still there. */
const pollMs = 2_000;

/**
 * Resolves when the view is complete. It tries again for ever, as the daemon wants it to.
 * @throws E_KUBE_UNREACHABLE when the hub was removed meanwhile
 */
async function whenSyncedOrRemoved(
  view: ReturnType<typeof startView>,
  { hubApi, repository, signal }: HubPlanInputs,
): Promise<void> {
  const ref = refOf(resourceTypes.repository, repository);
  let isSynced = false;
  const synced = view.whenSynced(signal).finally(() => (isSynced = true));
  const untilDeleted = async (): Promise<void> => {
    for (;;) {
      await Promise.race([realClock.sleep(pollMs, signal), synced]);
      if (isSynced) return;
      await hubApi.get(ref, { signal });
    }
  };
  await Promise.race([synced, untilDeleted()]);
}

/** Plans a commit against the hub itself, by the code of `run`: exact to the field. */
export async function planAgainstHub(inputs: HubPlanInputs): Promise<PlanReport> {
  const { hubApi, git, head, repository, nowMs, signal } = inputs;
  const { namespace = "" } = repository.metadata;
  const { serves } = repository.status ?? {};
  const protocols = protocolsWith(serves ?? []);
  const view = startView(hubApi, {
    repositories: () => [repository],
    workspaceLimit: repository.status?.workspaceLimit,
    namespace,
    protocols,
    log: silentLog,
    isSharing: false,
  });
  try {
    await whenSyncedOrRemoved(view, inputs);
    const { appliedCommit, observedCommit, workspaceLimit } = repository.status ?? {};
    const plannerInputs = hubPlannerInputs({
      hubApi,
      git,
      view,
      repository: () => repository,
      namespace,
      workspaceLimit,
      parsedFiles: inputs.parsedFiles,
      rehearsal: {
        protocols,
        isServingKnown: serves !== undefined,
        hubFacts: () => factsForPlans(namespace, nowMs),
        signal,
      },
      log: silentLog,
    });
    const planner = createRepositoryPlanner({ ...plannerInputs, nowMs: () => nowMs });
    const verified: VerifiedHead =
      inputs.isWorkTree === true ? { commit: head } : await planner.findVerified(repository, head);
    const snapshot = await planner.read(repository, verified.commit ?? head);
    // Rules are in git only: what they were is read there.
    const before = await readBefore(inputs.base ?? observedCommit ?? appliedCommit, snapshot, {
      git,
      ...plannerInputs.source,
    });
    const planned = await planner.plan(repository, snapshot, verified.problems, before);
    const { fleet } = planned;
    const plan = verified.commit === undefined ? withoutChanges(planned.plan) : planned.plan;
    const evaluated = inputs.isDryRun
      ? await dryRunChanges(plan.changes, hubApi, signal)
      : { problems: [], notes: [], isEvaluated: false };
    const fleetBefore = before && plannerInputs.checkFleet(filesInForce(before), repository).fleet;
    const hubWork = await planner.planHubWork(plan);
    return reviewPlan({
      repository,
      hubWork,
      plan: { ...plan, problems: [...plan.problems, ...evaluated.problems] },
      observed: view,
      fleet,
      ...(fleetBefore ? { fleetBefore } : {}),
      basis: { source: "Hub", ...(evaluated.isEvaluated ? { dryRun: true } : {}) },
      notes: [...unverifiedNotes(head, verified), ...evaluated.notes],
    });
  } finally {
    await view.stop();
  }
}

/** What the daemon does with a commit that no listed key vouches for. */
function unverifiedNotes(head: string, { commit, refusal }: VerifiedHead): string[] {
  if (refusal === undefined || commit === head) return [];
  const instead =
    commit === undefined
      ? "The daemon applies nothing"
      : `The daemon applies ${shortCommit(commit)} instead, and this is its plan`;
  return [`Commit ${shortCommit(head)} is not verified. ${instead}.`];
}

function withoutChanges(plan: Plan): Plan {
  return { ...plan, changes: [], removals: [], withheld: [], heldDeletes: [] };
}

/** The files of the commit to compare with; undefined without one, and where its objects are not here. */
async function readBefore(
  commit: string | undefined,
  snapshot: SourceSnapshot,
  options: SourceOptions,
): Promise<SourceSnapshot | undefined> {
  if (commit === undefined) return undefined;
  const recall: SourceOptions["recall"] = (file) => {
    const known = snapshot.parsed.get(file.path);
    return known?.blobId === file.blobId ? known : options.recall?.(file);
  };
  try {
    return await readSource(commit, undefined, undefined, { ...options, recall });
  } catch (error) {
    // History was rewritten, or the clone ends before it.
    if (isAppError(error, "E_GIT_OBJECT")) return undefined;
    throw error;
  }
}
