import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Forge, PullRequest } from "../../../src/forge/forge.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { PullRequestReviewer } from "../../../src/reconcile/review-pull-requests.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "./removals/memory-git.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "system" },
  spec: { url: "memory", forge: { provider: "GitLab", secretRef: { name: "forge" } } },
};

const requestOf = (number: number): Omit<PullRequest, "headCommit"> => ({
  ...{ number, title: "", body: "", url: "", headBranch: `b${number}`, baseBranch: "main" },
  ...{ isFork: false, isDraft: false },
});

/** A forge with these pull requests, all of one commit; `calls` replaces what it does, and `fetchHead` what the git server does. */
function openReviewer(
  numbers: readonly number[],
  calls: Pick<Forge, "writePlanComment"> & Partial<Forge>,
  fetchHead: (branch: string) => Promise<string> | undefined = () => undefined,
) {
  const git = createMemoryGit();
  const head = git.commit({}, "First\n");
  const view = createMemoryHub().openView();
  const planner = createRepositoryPlanner({
    git,
    source: sourceOptions(() => undefined),
    checkFleet: fleetChecker("system"),
    observed: view,
    rememberedLabels: () => undefined,
    nowMs: () => 0,
  });
  const forge: Forge = {
    provider: "GitLab",
    repository: "a/b",
    close: () => Promise.resolve(),
    setCommitStatus: () => Promise.resolve("created"),
    listPullRequests: () => Promise.resolve(numbers.map((number) => ({ ...requestOf(number), headCommit: head }))),
    readHeadCommit: () => Promise.resolve(undefined),
    readSquashMessage: () => Promise.resolve(undefined),
    voidPlanComment: () => Promise.resolve("unchanged"),
    openPullRequest: () => Promise.reject(new Error("none is opened")),
    ...calls,
  };
  const reviewer = new PullRequestReviewer({
    planner,
    git: { ...git, fetchHead: (branch) => fetchHead(branch) ?? git.fetchHead(branch) },
    observed: view,
    openForge: () => Promise.resolve(forge),
    monotonicMs: () => 0,
    hubChanges: () => 0,
    log: silentLog,
  });
  /** One reconcile while main is at this commit. */
  const look = async (main: string): Promise<void> => {
    const snapshot = await planner.read(repository, main);
    await reviewer.review({ repository, snapshot, problems: [] }, new AbortController().signal);
  };
  return { git, head, look };
}

it.each([
  new AppError("E_UNSUPPORTED", "list notes of !2: the list has more than 40 pages"),
  new AppError("E_FORGE_PROTOCOL", "list notes of !2: it answers with more bytes", { data: { maximumBytes: 1 } }),
])("A74 reviews the other pull requests when one has more comments than are read: $message", async (error) => {
  const written: number[] = [];
  const refuseSecond = (pullRequest: number): void => {
    if (pullRequest === 2) throw error;
  };
  const { head, look } = openReviewer([1, 2, 3], {
    writePlanComment: async ({ pullRequest }) => {
      refuseSecond(pullRequest);
      written.push(pullRequest);
      return Promise.resolve("created");
    },
    voidPlanComment: async ({ pullRequest }) => {
      refuseSecond(pullRequest);
      return Promise.resolve("unchanged");
    },
  });
  await look(head);
  expect(written).toEqual([1, 3]);
});

it.each([
  new AppError("E_UNSUPPORTED", "list notes of !1: there are more than are read"),
  new AppError("E_FORGE_FORBIDDEN", "comment on !1: the conversation is locked"),
])("A161 sets the statuses of a new commit when its plan cannot be written: $message", async (error) => {
  const statuses: string[] = [];
  const { head, look } = openReviewer([1], {
    writePlanComment: () => Promise.reject(error),
    setCommitStatus: (commit, { context }) => {
      statuses.push(`${context} of ${commit}`);
      return Promise.resolve("created");
    },
  });
  await look(head);
  expect(statuses).toContain(`rollcall/system.fleet of ${head}`);
});

it("A161 reports that a commit has no plan when the former plan cannot be marked as void", async () => {
  const statuses: string[] = [];
  const { head, look } = openReviewer(
    [1],
    {
      writePlanComment: () => Promise.resolve("created"),
      voidPlanComment: () => Promise.reject(new AppError("E_UNSUPPORTED", "there are more notes than are read")),
      setCommitStatus: (commit, { state }) => {
        statuses.push(`${state} of ${commit}`);
        return Promise.resolve("created");
      },
    },
    () => Promise.reject(new AppError("E_GIT_OBJECT", "no tree")),
  );
  await look(head);
  expect(statuses).toEqual([`error of ${head}`]);
});

it("A123 writes a plan again when a page came in the place of the forge's answer", async () => {
  const written: number[] = [];
  let isPage = true;
  const { head, look } = openReviewer([1, 2], {
    writePlanComment: ({ pullRequest }) => {
      if (isPage)
        throw new AppError("E_FORGE_PROTOCOL", "edit a comment: it answers, but not as an API does (text/html)");
      written.push(pullRequest);
      return Promise.resolve("created");
    },
  });
  await expect(look(head)).rejects.toMatchObject({ code: "E_FORGE_PROTOCOL" });
  isPage = false;
  await look(head);
  expect(written.sort()).toEqual([1, 2]);
});

it("writes a plan again when a later one took effect and its answer was lost", async () => {
  const bases: string[] = [];
  let isAnswerLost = false;
  const { git, head, look } = openReviewer([1], {
    writePlanComment: ({ base }) => {
      bases.push(base);
      if (isAnswerLost) throw new AppError("E_FORGE_UNREACHABLE", "edit a comment on !1: no answer came");
      return Promise.resolve("created");
    },
  });
  const other = git.commit({}, "Of another repository\n");
  await look(head);
  isAnswerLost = true;
  await expect(look(other)).rejects.toThrow("no answer came");
  isAnswerLost = false;
  await look(head);
  expect(bases).toEqual([head, other, head]);
});

it.each([
  {
    reason: "the git server refuses it",
    error: new AppError("E_GIT_REMOTE", "not our ref"),
    reported: [],
    isThrown: true,
  },
  { reason: "a defect ends its plan", error: new RangeError("the call stack"), reported: [], isThrown: true },
  {
    reason: "its commit is malformed",
    error: new AppError("E_GIT_OBJECT", "no tree"),
    reported: ["2"],
    isThrown: false,
  },
  { reason: "it is too large", error: new AppError("E_UNSUPPORTED", "too much"), reported: ["2"], isThrown: false },
])("A106 plans the other pull requests when one has no plan because $reason", async ({ error, reported, isThrown }) => {
  const written: number[] = [];
  const failed: string[] = [];
  const { head, look } = openReviewer(
    [],
    {
      listPullRequests: () =>
        Promise.resolve([1, 2, 3].map((number) => ({ ...requestOf(number), headCommit: `${number}` }))),
      writePlanComment: ({ pullRequest }) => {
        written.push(pullRequest);
        return Promise.resolve("created");
      },
      setCommitStatus: (commit, { state }) => {
        if (state === "error") failed.push(commit);
        return Promise.resolve("created");
      },
    },
    (branch) => (branch === "b2" ? Promise.reject(error) : undefined),
  );
  const looked = look(head);
  await (isThrown ? expect(looked).rejects.toBe(error) : looked);
  expect(written).toEqual([1, 3]);
  expect(failed).toEqual(reported);
});

it("A106 plans each pull request though ten others get a new commit each time", async () => {
  const written: number[] = [];
  const numbers = [...Array(12).keys()].map((index) => index + 1);
  let pushes = 0;
  const { head, look } = openReviewer(numbers, {
    listPullRequests: () => {
      pushes += 1;
      const pushed = (number: number): string => (number <= 10 ? `${number} ${pushes}` : `${number}`);
      return Promise.resolve(numbers.map((number) => ({ ...requestOf(number), headCommit: pushed(number) })));
    },
    writePlanComment: ({ pullRequest }) => {
      written.push(pullRequest);
      return Promise.resolve("created");
    },
  });
  await look(head);
  await look(head);
  expect(new Set(written)).toEqual(new Set(numbers));
});
