import type { Clock } from "../../core/clock.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { GitEngine } from "../../git/git.ts";
import { isBranchName } from "../../git/branch-name.ts";
import type { HubView } from "../../hub/hub-view.ts";
import type { PlanView } from "../../model/generated/page-api.ts";
import type { Policy } from "../../model/generated/policy.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { reviewAgents } from "../../planning/review-agents.ts";
import { forgeLinks } from "../../planning/views/forge-links.ts";
import { suspensionNotes } from "../../planning/review-plan.ts";
import { signatureNotes } from "../../planning/squash-notes.ts";
import { policyNotes } from "../../planning/policy-notes.ts";
import { planView } from "../../planning/views/plan-view.ts";
import { commitSummary } from "../../planning/views/repository-summary.ts";
import type { RepositoryPlanner } from "../../review/review.ts";
import type { SourceSnapshot } from "../../review/read-source.ts";
import { filesInForce } from "../../review/read-source.ts";
import { describeWithheld } from "../../reconcile/withheld-removals.ts";
import { fewAtOnce } from "../../web/dashboard/few-at-once.ts";
import { ShortMemory } from "../../core/short-memory.ts";

/** What merging a branch would do; undefined when there is no such branch. @throws E_BRANCH_LIMIT when many others wait */
export type BranchPlanner = (branch: string) => Promise<PlanView | undefined>;

export interface BranchPlanOptions {
  readonly clock: Clock;
  readonly git: GitEngine;
  readonly view: HubView;
  readonly repository: () => Repository | undefined;
  readonly planner: RepositoryPlanner;
  /** What the daemon has read of the main branch: files that did not change since are not parsed again. */
  readonly snapshot?: () => SourceSnapshot | undefined;
}

/** A plan costs a fetch and a read of the whole fleet: many pages share one for a while. */
const keptMs = 5_000;
const mostKept = 20;
/** Each takes up to 20 s, and the last one waits for all before it. */
const mostWaiting = 20;

export function createBranchPlanner(options: BranchPlanOptions): BranchPlanner {
  const plans = new ShortMemory<PlanView | undefined>(options.clock, { keptMs, most: mostKept });
  // One at a time: further requests wait, and the daemon's own work continues.
  const planOne = fewAtOnce((branch: string) => planBranch(options, branch), {
    atOnce: 1,
    waiting: mostWaiting,
    refusal: (waiting) =>
      new AppError("E_BRANCH_LIMIT", `plan a branch: ${waiting} others wait for their plans`, {
        recovery: "transient",
      }),
  });
  const underWay = new Map<string, Promise<PlanView | undefined>>();
  const planShared = (key: string, branch: string): Promise<PlanView | undefined> => {
    const made = underWay.get(key) ?? planOne(branch).finally(() => underWay.delete(key));
    underWay.set(key, made);
    return made;
  };
  return async (branch) => {
    if (!isBranchName(branch)) return undefined;
    // With another head of the main branch it is another plan.
    const key = `${branch} ${options.repository()?.status?.observedCommit ?? ""}`;
    return plans.recall(key, () => planShared(key, branch));
  };
}

async function planBranch(options: BranchPlanOptions, branch: string): Promise<PlanView | undefined> {
  const { git, view, planner } = options;
  const repository = options.repository();
  if (!repository) return undefined;
  const head = await git.fetchHead(branch).catch((error: unknown) => {
    if (isAppError(error, "E_GIT_BRANCH_MISSING")) return undefined;
    throw error;
  });
  const main = await git.fetchHead(repository.spec.ref?.branch ?? "main");
  if (head === undefined || main === undefined) return undefined;
  const snapshot = await planner.read(repository, main, options.snapshot?.());
  const { plan, commit, fleet } = await planner.planMerge(repository, { main: snapshot, head });
  const links = forgeLinks(repository);
  return planView(plan, {
    links,
    branch,
    commit: commitSummary(head, commit, links),
    // Other withheld changes have their own line.
    ...(plan.budget.trailer !== undefined ? { advice: describeWithheld(plan) } : {}),
    agents: reviewAgents(plan, view, { rollout: repository.spec.agentRollout ?? {} }),
    notes: [
      ...policyNotes(policiesOf(snapshot), fleet),
      ...suspensionNotes(repository),
      ...signatureNotes(plan, repository.spec.verify !== undefined),
    ],
    hubWork: await planner.planHubWork(plan),
  });
}

/** Those of the main branch, without the check of a whole fleet. */
function policiesOf(snapshot: SourceSnapshot) {
  const objects = filesInForce(snapshot).flatMap(({ documents }) => documents.map(({ object }) => object));
  const isPolicy = ({ kind, apiVersion }: (typeof objects)[number]): boolean =>
    kind === "Policy" && apiVersion.startsWith("rollcall.dev/");
  return { policies: objects.filter(isPolicy).map((object) => ({ object: object as Policy })) };
}
