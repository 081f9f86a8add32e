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

/** A forge with these pull requests, all of one commit; `calls` replaces what it does. */
function openReviewer(numbers: readonly number[], calls: Pick<Forge, "writePlanComment"> & Partial<Forge>) {
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
  const request = (number: number): PullRequest => ({
    ...{ number, title: "", body: "", url: "", headBranch: `b${number}`, headCommit: head, baseBranch: "main" },
    ...{ isFork: false, isDraft: false },
  });
  const forge: Forge = {
    provider: "GitLab",
    repository: "a/b",
    close: () => Promise.resolve(),
    setCommitStatus: () => Promise.resolve("created"),
    listPullRequests: () => Promise.resolve(numbers.map(request)),
    readSquashMessage: () => Promise.resolve(undefined),
    voidPlanComment: () => Promise.resolve("unchanged"),
    openPullRequest: () => Promise.reject(new Error("none is opened")),
    ...calls,
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
  /** One reconcile while main is at this commit. */
  const look = async (main: string): Promise<void> => {
    const snapshot = await planner.read(repository, main);
    await reviewer.review({ repository, snapshot, problems: [] }, new AbortController().signal);
  };
  return { git, head, look };
}

it("A74 reviews the other pull requests when one has more comments than are read", async () => {
  const written: number[] = [];
  const refuseSecond = (pullRequest: number): void => {
    if (pullRequest === 2) throw new AppError("E_UNSUPPORTED", "list notes of !2: the list has more than 40 pages");
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
