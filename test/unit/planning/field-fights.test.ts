import { describe, expect, it } from "vitest";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { FieldFights } from "../../../src/planning/field-fights.ts";
import {
  currentFights,
  describeFight,
  isPostponed,
  isRevertedWithin,
  nextFightInMs,
  recordReverts,
} from "../../../src/planning/field-fights.ts";
import { live } from "./plan-builders.ts";

const minuteMs = 60_000;

/** The cluster as it is after `other-tool` wrote a label and a part of the spec. */
function taken() {
  const object = live("eu-1", { labels: { env: "stolen" }, spec: { displayName: "stolen" } });
  const fieldsV1 = { "f:metadata": { "f:labels": { "f:env": {} } }, "f:spec": { "f:displayName": {} } };
  const managedFields = [
    ...(object.metadata.managedFields ?? []),
    { manager: "other-tool", operation: "Update", fieldsV1 },
  ];
  return { ...object, metadata: { ...object.metadata, managedFields } } as ReturnType<typeof live>;
}

function update(to: unknown, path = "metadata.labels[env]"): PlannedChange {
  const ref = { type: resourceTypes.cluster, namespace: "prod", name: "eu-1" };
  return { kind: "update", ref, object: live("eu-1"), manager: "rollcall-git", fields: [{ path, from: "stolen", to }] };
}

function revert(fights: FieldFights, nowMs: number, change = update("prod"), isApplied = true): FieldFights {
  return recordReverts(fights, [{ change, before: taken() }], { nowMs, isApplied });
}

/** The fights after reverts at these times. */
function after(...timesMs: readonly number[]): FieldFights {
  return timesMs.reduce<FieldFights>((fights, nowMs) => revert(fights, nowMs), new Map());
}

describe("F13 a fight over a field", () => {
  it.each([
    { reason: "two reverts are drift", fights: after(0, 1), nowMs: 1, count: 0 },
    { reason: "three are a fight", fights: after(0, 1, 2), nowMs: 2, count: 1 },
    {
      reason: "reverts that are far apart are drift",
      fights: after(0, 11 * minuteMs, 22 * minuteMs),
      nowMs: 22 * minuteMs,
      count: 0,
    },
    {
      reason: "another value is a change of the file",
      fights: revert(after(0, 1), 2, update("dev")),
      nowMs: 2,
      count: 0,
    },
    {
      reason: "the first write of a new commit is no revert",
      fights: revert(
        revert(revert(new Map(), 0, update("prod"), false), 1, update("prod"), false),
        2,
        update("prod"),
        false,
      ),
      nowMs: 2,
      count: 0,
    },
    { reason: "it ends when a revert lasts", fights: after(0, 1, 2), nowMs: 2 + 2 * 30_000, count: 0 },
  ])("is distinguished from drift: $reason", ({ fights, nowMs, count }) => {
    expect(currentFights(fights, nowMs)).toHaveLength(count);
    expect(nextFightInMs(fights, nowMs) === undefined).toBe(count === 0);
  });

  it.each(["metadata.labels[env]", "spec.displayName"])("names the other manager of %s, and what to do", (path) => {
    const fights = [0, 1, 2].reduce<FieldFights>((found, at) => revert(found, at, update("prod", path)), new Map());
    const [fight] = currentFights(fights, 2);
    expect(fight && describeFight(fight)).toBe(
      `Field manager other-tool keeps changing ${path} of Cluster/prod/eu-1; Rollcall reverted it 3 times and now waits longer each time. Stop the other writer, or delete the field from the file.`,
    );
  });

  it("waits longer after each revert, up to half an hour", () => {
    let fights = after(0, 1, 2);
    let nowMs = 2;
    const waits: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const waitMs = nextFightInMs(fights, nowMs) ?? 0;
      waits.push(waitMs / 1000);
      expect(isPostponed(update("prod"), fights, nowMs + waitMs - 1)).toBe(true);
      nowMs += waitMs;
      expect(isPostponed(update("prod"), fights, nowMs)).toBe(false);
      fights = revert(fights, nowMs);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1800, 1800, 1800]);
  });

  it("holds up nothing but the field itself", () => {
    const fights = after(0, 1, 2);
    const change = update("prod");
    const both = {
      ...change,
      fields: [
        { path: "metadata.labels[env]", to: "prod" },
        { path: "metadata.labels[tier]", to: "a" },
      ],
    };
    expect(isPostponed(both as PlannedChange, fights, 2)).toBe(false);
    expect(isPostponed(update("dev"), fights, 2)).toBe(false);
    expect(isPostponed(change, fights, 2)).toBe(true);
  });

  it("remembers a bounded number of fields", () => {
    const fields = Array.from({ length: 12_000 }, (_, index) => ({ path: `data.k${index}`, to: "x" }));
    const change = { ...update("x"), fields } as PlannedChange;
    expect(recordReverts(new Map(), [{ change, before: taken() }], { nowMs: 0, isApplied: true }).size).toBe(10_000);
  });

  it.each([
    { reason: "it was reverted just now", fights: after(0, 1, 2), nowMs: 1001, isHeld: true },
    { reason: "the time is over", fights: after(0, 1, 2), nowMs: 1002, isHeld: false },
    { reason: "it is no fight yet", fights: after(0, 1), nowMs: 2, isHeld: false },
    { reason: "the value is a new one", fights: after(0, 1, 2), nowMs: 3, change: update("new"), isHeld: false },
    {
      reason: "nothing is changed",
      fights: after(0, 1, 2),
      nowMs: 3,
      change: { ...update("prod"), fields: [] },
      isHeld: false,
    },
  ])("was reverted within a second: $isHeld, when $reason", ({ fights, nowMs, change = update("prod"), isHeld }) => {
    expect(isRevertedWithin(change, fights, { nowMs, ms: 1000 })).toBe(isHeld);
  });
});
