import { isAppError } from "../core/errors.ts";
import type { GitEngine } from "../git/git.ts";
import { isBranchName } from "../git/branch-name.ts";
import type { HubView } from "../hub/hub-view.ts";
import type { PlanView } from "../model/generated/page-api.ts";
import type { Repository } from "../model/generated/repository.ts";
import { forgeLinks } from "../planning/views/forge-links.ts";
import { planView } from "../planning/views/plan-view.ts";
import { commitSummary } from "../planning/views/repository-summary.ts";
import { planCommit } from "../reconcile/plan-commit.ts";
import type { SourceOptions, SourceSnapshot } from "../reconcile/read-source.ts";
import { readSource } from "../reconcile/read-source.ts";
import { describeWithheld } from "../reconcile/repository-status.ts";
import { ShortMemory } from "../web/dashboard/short-memory.ts";
import { realClock } from "./real-clock.ts";
import { fleetChecker } from "./wire-run.ts";
import { sourceOptions } from "./wire-source.ts";

/** What merging a branch would do; undefined when there is no such branch. */
export type BranchPlanner = (branch: string) => Promise<PlanView | undefined>;

export interface BranchPlanOptions {
  readonly git: GitEngine;
  readonly view: HubView;
  readonly repository: () => Repository | undefined;
  readonly namespace: string;
}

/** A plan costs a fetch and a read of the whole fleet: many pages share one for a while. */
const keptMs = 5_000;
const mostKept = 20;

export function createBranchPlanner(options: BranchPlanOptions): BranchPlanner {
  const plans = new ShortMemory<PlanView | undefined>(realClock, { keptMs, most: mostKept });
  let last: Promise<unknown> = Promise.resolve();
  return (branch) => {
    if (!isBranchName(branch)) return Promise.resolve(undefined);
    return plans.recall(branch, () => {
      // One at a time: whoever asks for many waits, and the daemon's own work goes on.
      const plan = last.then(() => planBranch(options, branch));
      last = plan.catch(() => undefined);
      return plan;
    });
  };
}

async function planBranch(options: BranchPlanOptions, branch: string): Promise<PlanView | undefined> {
  const { git, view, namespace } = options;
  const repository = options.repository();
  if (!repository) return undefined;
  const head = await git.fetchHead(branch).catch((error: unknown) => {
    if (isAppError(error, "E_GIT_BRANCH_MISSING")) return undefined;
    throw error;
  });
  const main = await git.fetchHead(repository.spec.ref?.branch ?? "main");
  if (head === undefined || main === undefined) return undefined;
  const source = sourceOptions(() => repository);
  const merged = await readMerged(git, source, { main, head });
  // Without keys: a page is no reason to decrypt anything.
  const { plan } = await planCommit({
    git,
    source,
    // The stretch is what the branch adds, whatever else came onto the main branch since.
    repository: { ...repository, status: { ...repository.status, appliedCommit: merged.base } },
    snapshot: merged.snapshot,
    checkFleet: fleetChecker(namespace),
    observed: view,
    rememberedLabels: (workspace, cluster) => view.memoryOf(workspace, cluster)?.labels,
    nowMs: realClock.nowMs(),
  });
  const links = forgeLinks(repository);
  const advice = plan.withheld.length > 0 ? { advice: describeWithheld(plan) } : {};
  return planView(plan, { links, branch, commit: commitSummary(head, merged.snapshot.commit, links), ...advice });
}

/** The main branch's files with what the branch changed laid over them; where both changed a file, the branch's counts. */
async function readMerged(
  git: GitEngine,
  source: Omit<SourceOptions, "git">,
  { main, head }: { readonly main: string; readonly head: string },
): Promise<{ readonly snapshot: SourceSnapshot; readonly base: string }> {
  const base = await findForkPoint(git, main, head);
  const [onMain, onBranch] = await Promise.all([
    readSource(main, undefined, undefined, { git, ...source }),
    readSource(head, undefined, undefined, { git, ...source }),
  ]);
  const changed = new Set((await git.changedPaths(base, head)).map(({ path }) => path));
  const merge = <T>(ours: ReadonlyMap<string, T>, theirs: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([
      ...[...ours].filter(([path]) => !changed.has(path)),
      ...[...theirs].filter(([path]) => changed.has(path)),
    ]);
  const snapshot: SourceSnapshot = {
    commit: onBranch.commit,
    files: merge(onMain.files, onBranch.files),
    parsed: merge(onMain.parsed, onBranch.parsed),
    lastGood: merge(onMain.lastGood, onBranch.lastGood),
    pathProblems: [
      ...onMain.pathProblems.filter(({ file }) => !changed.has(file)),
      ...onBranch.pathProblems.filter(({ file }) => changed.has(file)),
    ],
    parsedCount: onMain.parsedCount + onBranch.parsedCount,
  };
  return { snapshot, base: base ?? main };
}

/** Where the branch left the main one; undefined when they have nothing in common. */
async function findForkPoint(git: GitEngine, main: string, head: string): Promise<string | undefined> {
  if (await git.isAncestor(head, main)) return head;
  const own = await git.listCommits({ from: main, to: head });
  return own.at(-1)?.parents[0];
}
