// review: the one place that brings source, signatures, workspaces, policies, secrets and what is observed together into a
// plan. The daemon, pull requests, the page and `rollcall plan` call the planner made here.
import type { GitEngine } from "../git/git.ts";
import type { CheckedFleet } from "../manifests/check-fleet.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { HubWorkPlan, Plan, PlannedChange } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import type { PlanCommitInputs, PlannedCommit } from "./plan-commit.ts";
import { checkCommit, planCommit } from "./plan-commit.ts";
import type { MergeInputs, PlannedMerge } from "./plan-merge.ts";
import { planMerge } from "./plan-merge.ts";
import type { SourceSnapshot } from "./read-source.ts";
import { readFileAt } from "./read-file.ts";
import { readSource } from "./read-source.ts";
import type { PlanSince, PlanSinceInputs } from "./plan-since.ts";
import { planSince } from "./plan-since.ts";
import { readReplaced } from "./read-replaced.ts";
import type { ChangedSnapshot } from "./read-with-files.ts";
import { readWithFiles } from "./read-with-files.ts";
import type { CommitVerifier, VerifiedHead } from "./verify-source.ts";
import { findVerified, unverifiedProblems } from "./verify-source.ts";

/** What a plan of a Repository depends on besides its commits. One value of it serves every kind of plan. */
export interface PlannerInputs extends Pick<
  PlanCommitInputs,
  "source" | "checkFleet" | "openKeys" | "observed" | "rememberedLabels"
> {
  readonly git: GitEngine;
  /**
   * Verifies commits of a Repository that asks for signatures; undefined for one that does not. Default: no commit is
   * verified.
   */
  readonly openVerifier?: (repository: Repository) => Promise<CommitVerifier | undefined>;
  readonly nowMs: () => number;
  /** The hub's controllers at work on what is observed, after these changes. Absent: what they do is not planned. */
  readonly rehearse?: (changes: readonly PlannedChange[]) => Promise<HubWorkPlan>;
  /** Plans a branch that is not merged. Default: {@link planMerge}, in this thread. */
  readonly planUnmerged?: (inputs: MergeInputs) => Promise<PlannedMerge>;
}

export interface RepositoryPlanner {
  /** The commit, with its files parsed. `previous` is what was read before: the work follows the change. */
  read(repository: Repository, commit: string, previous?: SourceSnapshot): Promise<SourceSnapshot>;
  /** The newest commit up to `head` that the daemon applies: the head itself where no signatures are asked for. */
  findVerified(repository: Repository, head: string): Promise<VerifiedHead>;
  /** What the files declare, before the hub is compared. */
  check(repository: Repository, snapshot: SourceSnapshot): Promise<CheckedFleet>;
  /**
   * The snapshot with other texts of some files (null: without the file), as if a commit on top had them; and those of these
   * paths that the Repository does not read.
   */
  readWithFiles(snapshot: SourceSnapshot, files: ReadonlyMap<string, string | null>): Promise<ChangedSnapshot>;
  /** What a file declared in a commit; undefined when the commit or the file is not there. */
  readFileAt(commit: string, path: string): Promise<ParsedFile | undefined>;
  /** What `run` does on the hub for this commit. Removals that `before` asks for already are marked. Default: none are. */
  plan(
    repository: Repository,
    snapshot: SourceSnapshot,
    problems?: readonly Problem[],
    before?: SourceSnapshot,
  ): Promise<PlannedCommit>;
  /** The same plan from what changed since an earlier one; undefined when `plan` is required. Its cost follows the change. */
  planSince(repository: Repository, snapshot: SourceSnapshot, change: HubChange): Promise<PlanSince | undefined>;
  /** What `run` does after a branch is merged into `main`. */
  planMerge(
    repository: Repository,
    branch: { readonly main: SourceSnapshot; readonly head: string },
  ): Promise<PlannedMerge>;
  /** What the hub's controllers do after the changes of a plan. The daemon does not ask: it lets them do it. */
  planHubWork(plan: Plan): Promise<HubWorkPlan>;
}

/** What a plan is made since. */
export type HubChange = Pick<PlanSinceInputs, "basis" | "touched" | "ownedClusters">;

/** Makes the planner of a Repository; it keeps no state. */
export function createRepositoryPlanner(inputs: PlannerInputs): RepositoryPlanner {
  const { git, source, openVerifier } = inputs;
  const verifierOf = async (repository: Repository): Promise<CommitVerifier | undefined> => openVerifier?.(repository);
  // Most plans meet no new approval: then no keys are read.
  const isSignedOf = (repository: Repository): Pick<PlanCommitInputs, "isSigned"> => {
    if (openVerifier === undefined || repository.spec.verify === undefined) return {};
    return { isSigned: async (...places) => (await verifierOf(repository))?.isSigned(...places) ?? true };
  };
  // What was applied stays in force, whatever vouches for it now.
  const sourceOf = (repository: Repository): PlannerInputs["source"] => {
    if (openVerifier === undefined || repository.spec.verify === undefined) return source;
    const isVouched = async (commit: string, path: string): Promise<boolean> =>
      commit === repository.status?.appliedCommit ||
      ((await verifierOf(repository))?.isVouched(commit, path) ?? Promise.resolve(true));
    return { ...source, isVouched };
  };
  return {
    read: async (repository, commit, previous) =>
      (previous && (await readReplaced(commit, previous, { git, ...source }))) ??
      readSource(commit, previous, repository.status?.appliedCommit, { git, ...sourceOf(repository) }),
    findVerified: async (repository, head) => {
      const verifier = head === repository.status?.appliedCommit ? undefined : await verifierOf(repository);
      if (verifier === undefined) return { commit: head };
      return findVerified(git, { base: await verifiedBase(git, repository, head), head }, verifier.verify);
    },
    check: async (repository, snapshot) => (await checkCommit({ ...inputs, repository, snapshot })).checked,
    readWithFiles: (snapshot, files) => readWithFiles(snapshot, files, { git, ...source }),
    readFileAt: (commit, path) => readFileAt(commit, path, { git, ...source }),
    plan: (repository, snapshot, problems = [], before = undefined) =>
      planCommit({
        ...inputs,
        source: sourceOf(repository),
        repository,
        snapshot,
        problems,
        nowMs: inputs.nowMs(),
        ...isSignedOf(repository),
        ...(before === undefined ? {} : { before }),
      }),
    planSince: (repository, snapshot, change) =>
      planSince({
        ...inputs,
        ...change,
        source: sourceOf(repository),
        repository,
        snapshot,
        nowMs: inputs.nowMs(),
        ...isSignedOf(repository),
      }),
    planMerge: async (repository, { main, head }) => {
      const verifier = await verifierOf(repository);
      return (inputs.planUnmerged ?? planMerge)({
        ...inputs,
        source: sourceOf(repository),
        repository,
        main,
        head,
        ...(verifier ? { evaluate: async (range) => unverifiedProblems(await verifier.verify(range)) } : {}),
        ...isSignedOf(repository),
        nowMs: inputs.nowMs(),
      });
    },
    planHubWork: async ({ changes }) =>
      (await inputs.rehearse?.(changes)) ?? {
        work: new Map(),
        notes: ["What the hub does after each change is not planned here."],
      },
  };
}

/**
 * Where the check of signatures begins: the newest commit that was verified by the same spec, else the applied one. Work
 * so follows the new commits, however long some file keeps `appliedCommit` where it is.
 */
async function verifiedBase(
  git: Pick<GitEngine, "isAncestor">,
  { status, metadata }: Repository,
  head: string,
): Promise<string | undefined> {
  const { verifiedCommit, observedGeneration, appliedCommit } = status ?? {};
  const isOfSpec = verifiedCommit !== undefined && observedGeneration === metadata.generation;
  return isOfSpec && (await git.isAncestor(verifiedCommit, head)) ? verifiedCommit : appliedCommit;
}
