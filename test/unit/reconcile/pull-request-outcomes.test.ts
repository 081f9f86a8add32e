import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { forged, openReviews, planned, withoutStatuses } from "./reviewed-requests.ts";

const clusters = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [
      `${name}.yaml`,
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\n`,
    ]),
  );
const succeeded = ["plan/validation success", "plan success"];

describe("the report on a pull request", () => {
  it("is one comment on the two commits, and two statuses of the newest commit", async () => {
    const comments: object[] = [];
    const statuses: string[] = [];
    const { git, first, review } = openReviews({
      writePlanComment: ({ markdown: _markdown, ...comment }) => {
        comments.push(comment);
        return Promise.resolve("created");
      },
      setCommitStatus: (commit, { context }) => {
        statuses.push(`${commit} ${context}`);
        return Promise.resolve("created");
      },
    });
    const head = git.commit(clusters("a"), "Add a\n");
    expect((await review()).asked).toEqual(["plan", "check main", "comment 1", ...succeeded]);
    expect(comments).toEqual([{ pullRequest: 1, repository: "system.fleet", base: first, head }]);
    expect(statuses).toEqual([`${head} rollcall/system.fleet/validation`, `${head} rollcall/system.fleet`]);
  });

  it("is of the commit that is there by now, which the next round does not plan again", async () => {
    const heads: string[] = [];
    const { git, scene, review } = openReviews({
      writePlanComment: ({ head }) => {
        heads.push(head);
        return Promise.resolve("created");
      },
    });
    scene.open = { 1: { headCommit: "older" } };
    const head = git.commit(clusters("a"), "Add a\n");
    await review();
    scene.open = { 1: { headCommit: head } };
    expect((await review()).asked).toEqual([]);
    expect(heads).toEqual([head]);
  });

  it("is written when the plan is another one, and its statuses only when they are", async () => {
    const { git, scene, review } = openReviews();
    await review();
    const head = git.commit(clusters("a"), "Add a\n");
    expect((await review()).asked).toEqual([...planned(1), ...succeeded]);
    scene.nowMs = 3_600_000;
    expect((await review()).asked).toEqual(["plan"]);
    scene.open = { 1: { headCommit: head } };
    expect((await review()).asked).toEqual([]);
  });

  it.each([
    { reason: "a removal within the budget", clusterCount: 1, expected: [] },
    { reason: "more removals than the budget allows", clusterCount: 30, expected: ["read squash message of 1"] },
  ])("reads the message of a squash for $reason: $expected", async ({ clusterCount, expected }) => {
    const names = Array.from({ length: clusterCount }, (_, index) => `c${index}`);
    const managedFields = [{ manager: "rollcall-git", operation: "Apply" as const, fieldsV1: {} }];
    const labels = { "rollcall.dev/repository": "system.fleet" };
    const objects = names.map((name) => ({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name, namespace: "fleet", labels, uid: name, managedFields },
    }));
    const { git, scene, review } = openReviews({ objects });
    scene.main = git.commit(clusters(...names, "left"), "Add\n");
    scene.repository = { ...forged, status: { appliedCommit: scene.main, settledCommit: scene.main } };
    git.commit(clusters("left"), "Remove\n");
    expect((await review()).asked.filter((call) => call.startsWith("read squash"))).toEqual(expected);
  });
});

describe("a pull request without a plan", () => {
  it.each([
    ["was deleted", () => Promise.resolve(undefined)],
    ["has a name that is none in git", () => Promise.reject(new AppError("E_GIT_BRANCH_MISSING", "no such branch"))],
  ])("has no report when its branch %s, and is not tried again", async (_reason, fetchHead) => {
    const { review } = openReviews({ fetchHead });
    expect((await review()).asked).toEqual([]);
    expect((await review()).asked).toEqual([]);
  });

  it("has the reason as its status, and a void comment, when its files cannot be planned", async () => {
    const error = new AppError("E_BRANCH_LIMIT", "too many commits", { recovery: "stalled" });
    const { review, descriptions, warnings } = openReviews({ planMerge: () => Promise.reject(error) });
    expect((await review()).asked).toEqual(["plan", "void 1", "plan error"]);
    expect(descriptions).toEqual([expect.stringMatching(/^No plan: .*too many commits/u)]);
    expect(warnings).toEqual(["planning a pull request failed"]);
    expect((await review()).asked).toEqual([]);
  });

  it("has its comment written anew when it can be planned, though the plan is the earlier one", async () => {
    let isRefused = false;
    const refusal = new AppError("E_BRANCH_LIMIT", "too many commits", { recovery: "stalled" });
    const { scene, review } = openReviews({ planMerge: () => (isRefused ? Promise.reject(refusal) : undefined) });
    await review();
    isRefused = true;
    scene.nowMs = 3_600_000;
    await review();
    isRefused = false;
    scene.nowMs = 7_200_000;
    expect(withoutStatuses((await review()).asked)).toEqual(planned(1));
  });

  it.each([
    { reason: "does not answer", error: new AppError("E_GIT_REMOTE", "timeout", { recovery: "transient" }) },
    { reason: "meets a defect", error: new TypeError("undefined is not a function") },
  ])("is tried in the next round when its plan $reason, after the others", async ({ error }) => {
    let head: string | undefined = "b";
    const { git, scene, review } = openReviews({
      planMerge: (planning) => (planning === head ? Promise.reject(error) : undefined),
      fetchHead: (branch) => Promise.resolve(branch === "b1" ? git.ids[1] : git.ids[2]),
    });
    head = git.commit({}, "One\n");
    git.commit({}, "Two\n");
    scene.open = { 1: { headCommit: head }, 2: {} };
    await expect(review()).rejects.toBe(error);
    head = undefined;
    expect(withoutStatuses((await review()).asked)).toEqual(planned(1));
  });
});

describe("an error of the forge", () => {
  const unreachable = new AppError("E_FORGE_UNREACHABLE", "no answer came");

  it("ends the round when the forge does not answer", async () => {
    const { scene, review, asked } = openReviews({ writePlanComment: () => Promise.reject(unreachable) });
    scene.open = { 1: {}, 2: {} };
    await expect(review()).rejects.toBe(unreachable);
    expect(withoutStatuses(asked)).toEqual(planned(1));
  });

  it("ends no round when the forge refuses one report, which is not tried again", async () => {
    const forbidden = new AppError("E_FORGE_FORBIDDEN", "the conversation is locked");
    const { scene, review } = openReviews({
      writePlanComment: ({ pullRequest }) =>
        pullRequest === 1 ? Promise.reject(forbidden) : Promise.resolve("created"),
    });
    scene.open = { 1: {}, 2: {} };
    expect(withoutStatuses((await review()).asked)).toEqual([...planned(1), ...planned(2)]);
    expect((await review()).asked).toEqual([]);
  });

  it("ends the round when the run is stopped", async () => {
    const stopping = new AbortController();
    const { scene, review, asked } = openReviews({
      planMerge: () => {
        stopping.abort(new Error("stopped"));
        throw new AppError("E_BRANCH_LIMIT", "too many commits", { recovery: "stalled" });
      },
    });
    scene.open = { 1: {}, 2: {} };
    await expect(review(stopping.signal)).rejects.toThrow("stopped");
    expect(withoutStatuses(asked)).toEqual(["plan"]);
  });
});
