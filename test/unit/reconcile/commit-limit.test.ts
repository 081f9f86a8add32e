import { describe, expect, it } from "vitest";
import { CommitLimit } from "../../../src/reconcile/commit-limit.ts";
import { hubChange } from "./hub-changes.ts";

const changes = (count: number) => Array.from({ length: count }, (_, index) => hubChange(`c${index}`));
const minuteMs = 60_000;

describe("CommitLimit", () => {
  it.each([
    { count: 0, chosen: 0 },
    { count: 100, chosen: 100 },
    { count: 101, chosen: 100 },
  ])("lets one commit have $chosen of $count changes", ({ count, chosen }) => {
    const choice = new CommitLimit().choose(changes(count), 0);
    expect([choice.chosen.length, choice.isFull, choice.tooOften]).toEqual([chosen, false, []]);
  });

  it.each([
    { reason: "nine commits", commits: 9, atMs: 0, isFull: false, waitMs: 0 },
    { reason: "ten commits", commits: 10, atMs: 1000, isFull: true, waitMs: minuteMs - 1000 },
    { reason: "ten commits a minute ago", commits: 10, atMs: minuteMs, isFull: false, waitMs: 0 },
  ])("after $reason: full $isFull", ({ commits, atMs, isFull, waitMs }) => {
    const limit = new CommitLimit();
    for (let index = 0; index < commits; index++) limit.record([hubChange(`other${index}`)], 0);
    expect(limit.waitMs(atMs)).toBe(waitMs);
    const choice = limit.choose(changes(1), atMs);
    expect([choice.isFull, choice.chosen.length]).toEqual([isFull, isFull ? 0 : 1]);
  });

  it.each([
    { reason: "committed twice", times: 2, atMs: 0, tooOften: 0 },
    { reason: "committed three times", times: 3, atMs: 10 * minuteMs - 1, tooOften: 1 },
    { reason: "committed three times more than ten minutes ago", times: 3, atMs: 10 * minuteMs, tooOften: 0 },
  ])("chooses an object that was $reason: too often $tooOften", ({ times, atMs, tooOften }) => {
    const limit = new CommitLimit();
    for (let index = 0; index < times; index++) limit.record([hubChange("a")], 0);
    const choice = limit.choose([hubChange("a"), hubChange("b")], atMs);
    expect(choice.tooOften.map(({ object }) => object)).toEqual(tooOften === 0 ? [] : ["Cluster/fleet/a"]);
    expect(choice.chosen).toHaveLength(2 - tooOften);
  });

  it("is not full for changes that are all made too often", () => {
    const limit = new CommitLimit();
    for (let index = 0; index < 10; index++) limit.record([hubChange("a")], 0);
    expect(limit.choose([hubChange("a")], 0).isFull).toBe(false);
  });
});
