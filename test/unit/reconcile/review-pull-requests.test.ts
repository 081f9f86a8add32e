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

it("A74 reviews the other pull requests when one has more comments than are read", async () => {
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
  const repository: Repository = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "system" },
    spec: { url: "memory", forge: { provider: "GitLab", secretRef: { name: "forge" } } },
  };
  const request = (number: number): PullRequest => ({
    ...{ number, title: "", body: "", url: "", headBranch: `b${number}`, headCommit: head, baseBranch: "main" },
    ...{ isFork: false, isDraft: false },
  });
  const written: number[] = [];
  const refuseSecond = (pullRequest: number): void => {
    if (pullRequest === 2) throw new AppError("E_UNSUPPORTED", "list notes of !2: the list has more than 40 pages");
  };
  const forge: Forge = {
    provider: "GitLab",
    repository: "a/b",
    close: () => Promise.resolve(),
    setCommitStatus: () => Promise.resolve("created"),
    listPullRequests: () => Promise.resolve([1, 2, 3].map(request)),
    readSquashMessage: () => Promise.resolve(undefined),
    writePlanComment: async ({ pullRequest }) => {
      refuseSecond(pullRequest);
      written.push(pullRequest);
      return Promise.resolve("created");
    },
    voidPlanComment: async ({ pullRequest }) => {
      refuseSecond(pullRequest);
      return Promise.resolve("unchanged");
    },
    openPullRequest: () => Promise.reject(new Error("none is opened")),
  };
  const reviewer = new PullRequestReviewer({
    planner,
    git,
    observed: view,
    openForge: () => Promise.resolve(forge),
    monotonicMs: () => 0,
    hubChanges: () => 0,
    log: silentLog,
  });
  const main = { repository, snapshot: await planner.read(repository, head), problems: [] };
  await reviewer.review(main, new AbortController().signal);
  expect(written).toEqual([1, 3]);
});
