import { isAppError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import type { GitEngine } from "../../git/git.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { PlanReport } from "../../model/generated/plan-report.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { reviewPlan } from "../../planning/review-plan.ts";
import { planCommit } from "../../review/plan-commit.ts";
import type { SourceOptions, SourceSnapshot } from "../../review/read-source.ts";
import { filesInForce, readSource } from "../../review/read-source.ts";
import { unverifiedProblems } from "../../review/verify-source.ts";
import { dryRunChanges } from "./dry-run-changes.ts";
import { repositoryKeys } from "../../daemon/wire-keys.ts";
import { repositoryVerifier } from "../../daemon/wire-verification.ts";
import { startView } from "../../daemon/wire-hub.ts";
import { fleetChecker } from "../../review/fleet-checker.ts";
import { sourceOptions } from "../../review/wire-source.ts";

export interface HubPlanInputs {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  /** The commit to plan. */
  readonly head: string;
  readonly repository: Repository;
  /** A commit that the plan is asked to start from. */
  readonly base?: string;
  /** Whether the hub is asked to judge each object. */
  readonly isDryRun: boolean;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Plans a commit against the hub itself, by the code of `run`: exact to the field. */
export async function planAgainstHub(inputs: HubPlanInputs): Promise<PlanReport> {
  const { hubApi, git, head, repository, nowMs, signal } = inputs;
  const { namespace = "" } = repository.metadata;
  const view = startView(hubApi, { repositories: () => [repository], namespace, log: silentLog });
  try {
    await view.whenSynced(signal);
    const source = sourceOptions(() => repository);
    const options = { git, ...source };
    const checkFleet = fleetChecker(namespace);
    const { appliedCommit, observedCommit } = repository.status ?? {};
    const snapshot = await readSource(head, undefined, appliedCommit, options);
    const verify = await repositoryVerifier({ hubApi, git, log: silentLog })(repository);
    const isKnown = appliedCommit !== undefined && (await git.isAncestor(appliedCommit, head));
    const verdict = await verify?.({ ...(isKnown ? { base: appliedCommit } : {}), head });
    const { plan, fleet } = await planCommit({
      git,
      source,
      repository,
      snapshot,
      checkFleet,
      ...(verdict ? { problems: unverifiedProblems(verdict) } : {}),
      openKeys: repositoryKeys({ hubApi, repository: () => repository }),
      observed: view,
      rememberedLabels: (workspace, cluster) => view.memoryOf(workspace, cluster)?.labels,
      nowMs,
    });
    const judged = inputs.isDryRun
      ? await dryRunChanges(plan.changes, hubApi, signal)
      : { problems: [], notes: [], isJudged: false };
    // Rules stand in git only: what they were is read there.
    const before = await readIfThere(inputs.base ?? observedCommit ?? appliedCommit, snapshot, options);
    const fleetBefore = before && checkFleet(filesInForce(before), repository).fleet;
    return reviewPlan({
      repository,
      plan: { ...plan, problems: [...plan.problems, ...judged.problems] },
      observed: view,
      fleet,
      ...(fleetBefore ? { fleetBefore } : {}),
      basis: { source: "Hub", ...(judged.isJudged ? { dryRun: true } : {}) },
      notes: judged.notes,
    });
  } finally {
    await view.stop();
  }
}

async function readIfThere(
  commit: string | undefined,
  snapshot: SourceSnapshot,
  options: SourceOptions,
): Promise<SourceSnapshot | undefined> {
  if (commit === undefined) return undefined;
  const parseFile: SourceOptions["parseFile"] = (file) => {
    const known = snapshot.parsed.get(file.path);
    return known?.blobId === file.blobId ? known : options.parseFile(file);
  };
  try {
    return await readSource(commit, undefined, undefined, { ...options, parseFile });
  } catch (error) {
    // History was rewritten, or the clone ends before it.
    if (isAppError(error, "E_GIT_OBJECT")) return undefined;
    throw error;
  }
}
