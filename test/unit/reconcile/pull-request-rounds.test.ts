import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { ReviewScene } from "./reviewed-requests.ts";
import { forged, openReviews, planned, withoutStatuses } from "./reviewed-requests.ts";

const minuteMs = 60_000;
const openRequests = (count: number): ReviewScene["open"] =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, {}]));

describe("the pull requests that are reviewed", () => {
  it("are none without a forge in the Repository", async () => {
    const { scene, review, lists } = openReviews();
    scene.repository = { ...forged, spec: { url: "memory" } };
    expect(await review()).toEqual({ asked: [], nextInMs: undefined });
    expect(lists).toEqual([]);
  });

  it("are none while the forge cannot be opened", async () => {
    const { review, lists } = openReviews({ openForge: () => Promise.resolve(undefined) });
    expect(await review()).toEqual({ asked: [], nextInMs: undefined });
    expect(lists).toEqual([]);
  });

  it("are those into the branch that the Repository follows", async () => {
    const { scene, review, lists } = openReviews();
    await review();
    scene.repository = { ...forged, spec: { ...forged.spec, ref: { branch: "live" } } };
    await review();
    expect(lists.map(({ baseBranch }) => baseBranch)).toEqual(["main", "live"]);
  });

  it("are not those of forks", async () => {
    const { scene, review } = openReviews();
    scene.open = { 1: { isFork: true }, 2: {} };
    expect(withoutStatuses((await review()).asked)).toEqual(planned(2));
  });

  it("are planned from one reading of the main branch", async () => {
    const { git, scene, review } = openReviews();
    scene.open = openRequests(2);
    const checks = (asked: readonly string[]) => asked.filter((call) => call === "check main").length;
    expect(checks((await review()).asked)).toBe(1);
    git.commit({}, "Further\n");
    expect(checks((await review()).asked)).toBe(0);
    scene.main = git.ids.at(-1) ?? "";
    expect(checks((await review()).asked)).toBe(1);
  });
});

describe("a pull request is planned again", () => {
  it.each<[string, (scene: ReviewScene, commit: () => string) => void, string[]]>([
    ["not when nothing changed", () => undefined, []],
    ["when it has a new commit", (scene, commit) => void (scene.open[1] = { headCommit: commit() }), planned(1)],
    ["when the main branch has a new commit", (scene, commit) => void (scene.main = commit()), planned(1)],
    [
      "when its text approves removals now, and has no other comment if the plan is the same",
      (scene) => void (scene.open[1] = { body: "Rollcall-Allow-Deletions: 3" }),
      ["plan"],
    ],
    ["not when its text changes elsewhere", (scene) => void (scene.open[1] = { body: "Please review" }), []],
  ])("%s", async (_reason, change, expected) => {
    const { git, scene, review } = openReviews();
    await review();
    change(scene, () => git.commit({}, "Further\n"));
    expect(withoutStatuses((await review()).asked)).toEqual(expected);
    expect((await review()).asked).toEqual([]);
  });

  it.each([
    { reason: "the hub changed", hubChanges: 1, ageMs: 5 * minuteMs, resourceVersion: "1" },
    { reason: "the Repository changed", hubChanges: 0, ageMs: 5 * minuteMs, resourceVersion: "2" },
    { reason: "nothing changed but the time", hubChanges: 0, ageMs: 60 * minuteMs, resourceVersion: "1" },
  ])("after $ageMs ms when $reason", async ({ hubChanges, ageMs, resourceVersion }) => {
    const { scene, review } = openReviews();
    await review();
    scene.hubChanges = hubChanges;
    scene.repository = { ...forged, metadata: { ...forged.metadata, resourceVersion } };
    scene.nowMs = ageMs - 1;
    expect((await review()).asked).toEqual([]);
    scene.nowMs = ageMs;
    expect((await review()).asked).toEqual(["plan"]);
    expect((await review()).asked).toEqual([]);
  });

  it("when it was closed meanwhile", async () => {
    const { scene, review } = openReviews();
    await review();
    scene.open = {};
    await review();
    scene.open = { 1: {} };
    expect(withoutStatuses((await review()).asked)).toEqual(planned(1));
  });

  it("not when it was missing from a list that was cut", async () => {
    const { scene, review, warnings } = openReviews();
    await review();
    Object.assign(scene, { open: {}, cutAt: 40 });
    await review();
    expect(warnings).toEqual(["more pull requests are open than are read: the newest have no plan"]);
    Object.assign(scene, { open: { 1: {} }, cutAt: undefined });
    expect((await review()).asked).toEqual([]);
  });
});

describe("the next round", () => {
  it("has no time of its own when the hub did not change", async () => {
    expect((await openReviews().review()).nextInMs).toBeUndefined();
  });

  it.each([
    { laterMs: 0, nextInMs: 5 * minuteMs },
    { laterMs: 2 * minuteMs, nextInMs: 3 * minuteMs },
    { laterMs: 5 * minuteMs - 10, nextInMs: 1000 },
  ])(
    "is due $nextInMs ms after a round that a change of the hub follows $laterMs ms later",
    async ({ laterMs, nextInMs }) => {
      const { scene, review } = openReviews();
      scene.open = openRequests(2);
      await review();
      scene.hubChanges = 1;
      scene.nowMs = laterMs;
      expect((await review()).nextInMs).toBe(nextInMs);
    },
  );

  it("is due for the plan that was made first", async () => {
    const { scene, review } = openReviews();
    await review();
    scene.nowMs = minuteMs;
    scene.open = openRequests(2);
    await review();
    scene.hubChanges = 1;
    expect((await review()).nextInMs).toBe(4 * minuteMs);
  });

  it("plans what is left of more than ten: their comments for another main branch are void until then", async () => {
    const { git, scene, review } = openReviews();
    scene.open = openRequests(12);
    const { asked, nextInMs } = await review();
    expect(asked.filter((call) => call.startsWith("void"))).toEqual(["void 11", "void 12"]);
    expect([asked.filter((call) => call === "plan").length, nextInMs]).toEqual([10, 1000]);
    expect(withoutStatuses((await review()).asked)).toEqual([...planned(11), ...planned(12)]);
    scene.open = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [index + 1, { headCommit: "other" }]));
    expect((await review()).asked.filter((call) => call.startsWith("void"))).toEqual([]);
    scene.main = git.commit({}, "Further\n");
    expect((await review()).asked.filter((call) => call.startsWith("void"))).toHaveLength(2);
  });

  it("is not kept from the plans by a comment that the forge does not let be marked as void", async () => {
    const refused = () => Promise.reject(new AppError("E_FORGE_FORBIDDEN", "the conversation is locked"));
    const { scene, review, warnings } = openReviews({ voidPlanComment: refused });
    scene.open = openRequests(11);
    expect((await review()).asked.filter((call) => call === "plan")).toHaveLength(10);
    expect(warnings).toEqual(["the forge refuses the report on a pull request"]);
  });
});
