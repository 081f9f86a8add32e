import { silentLog } from "../../../src/core/log.ts";
import type { Forge, PullRequest, PullRequestList } from "../../../src/forge/forge.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { PullRequestReviewer } from "../../../src/reconcile/review-pull-requests.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import type { RepositoryPlanner } from "../../../src/review/review.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "./removals/memory-git.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

export const forged: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "system", resourceVersion: "1" },
  spec: { url: "memory", workspaces: ["fleet"], forge: { provider: "GitLab", secretRef: { name: "forge" } } },
};

/** What a test changes between two rounds. */
export interface ReviewScene {
  /** The open pull requests, by number. Default of a field: branch `b<number>` of this repository at the newest commit. */
  open: Record<number, Partial<PullRequest>>;
  main: string;
  repository: Repository;
  hubChanges: number;
  nowMs: number;
  /** So many pages are all that was read of the list; undefined: it was read to its end. */
  cutAt: number | undefined;
}

/** Where a test puts an error in the way, or takes part in what happens. */
export interface ReviewHooks extends Partial<Forge> {
  readonly fetchHead?: (branch: string) => Promise<string | undefined>;
  readonly planMerge?: (head: string) => Promise<void> | void;
  /** What is on the hub. */
  readonly objects?: readonly KubeObject[];
  readonly openForge?: () => Promise<Forge | undefined>;
}

/** A reviewer of pull requests with a forge, a repository and a hub in memory, and all that it asks of them. */
export function openReviews({ fetchHead, planMerge, openForge, objects = [], ...calls }: ReviewHooks = {}) {
  const git = createMemoryGit();
  const first = git.commit({}, "First\n");
  const hub = createMemoryHub();
  for (const object of objects) hub.put(object);
  const view = hub.openView();
  const asked: string[] = [];
  const lists: PullRequestList[] = [];
  const warnings: string[] = [];
  const descriptions: string[] = [];
  const scene: ReviewScene = {
    ...{ open: { 1: {} }, main: first, repository: forged, hubChanges: 0, nowMs: 0, cutAt: undefined },
  };
  const whole = createRepositoryPlanner({
    git,
    source: sourceOptions(() => undefined),
    checkFleet: fleetChecker("system"),
    observed: view,
    rememberedLabels: () => undefined,
    nowMs: () => 0,
  });
  const planner: RepositoryPlanner = {
    ...whole,
    check: (repository, snapshot) => {
      asked.push("check main");
      return whole.check(repository, snapshot);
    },
    planMerge: async (repository, branch) => {
      asked.push("plan");
      await planMerge?.(branch.head);
      return whole.planMerge(repository, branch);
    },
  };
  const forge: Forge = {
    provider: "GitLab",
    repository: "a/b",
    close: () => Promise.resolve(),
    openPullRequest: () => Promise.reject(new Error("none is opened")),
    ...calls,
    listPullRequests: (options = {}) => {
      lists.push(options);
      if (scene.cutAt !== undefined) options.onCut?.(scene.cutAt);
      const open = Object.entries(scene.open).map(([number, fields]): PullRequest => ({
        ...{ number: Number(number), title: "", body: "", url: "", headBranch: `b${number}`, baseBranch: "main" },
        ...{ isFork: false, isDraft: false, headCommit: git.ids.at(-1) ?? "" },
        ...fields,
      }));
      return Promise.resolve(open);
    },
    readHeadCommit: () => Promise.resolve(undefined),
    readSquashMessage: async (number) => {
      asked.push(`read squash message of ${number}`);
      return calls.readSquashMessage?.(number);
    },
    writePlanComment: async (comment) => {
      asked.push(`comment ${comment.pullRequest}`);
      return calls.writePlanComment?.(comment) ?? "created";
    },
    voidPlanComment: async (request) => {
      asked.push(`void ${request.pullRequest}`);
      return calls.voidPlanComment?.(request) ?? "unchanged";
    },
    setCommitStatus: async (commit, status) => {
      asked.push(`${status.context.replace("rollcall/system.fleet", "plan")} ${status.state}`);
      descriptions.push(status.description);
      return calls.setCommitStatus?.(commit, status) ?? "created";
    },
  };
  const reviewer = new PullRequestReviewer({
    planner,
    git: { ...git, fetchHead: (branch) => fetchHead?.(branch) ?? git.fetchHead(branch) },
    observed: view,
    openForge: openForge ?? (() => Promise.resolve(forge)),
    monotonicMs: () => scene.nowMs,
    hubChanges: () => scene.hubChanges,
    log: { ...silentLog, warn: (message) => void warnings.push(message) },
  });
  const snapshots = new Map<string, Awaited<ReturnType<RepositoryPlanner["read"]>>>();
  /** One round; resolves with what was asked in it and milliseconds until the next one. */
  const review = async (signal = new AbortController().signal) => {
    const { repository, main } = scene;
    await view.whenSynced(signal);
    const snapshot = snapshots.get(main) ?? (await planner.read(repository, main));
    snapshots.set(main, snapshot);
    asked.length = 0;
    const nextInMs = await reviewer.review({ repository, snapshot, problems: [] }, signal);
    return { asked: [...asked], nextInMs };
  };
  return { git, first, scene, review, asked, lists, warnings, descriptions };
}

/** What a first round asks for a pull request. */
export const planned = (number: number): string[] => ["plan", `comment ${number}`];

/** Without the statuses of commits, which all have here, and the check of the main branch. */
export function withoutStatuses(asked: readonly string[]): string[] {
  return asked.filter((call) => !/^(?:plan\S* \w+|check main)$/u.test(call));
}
