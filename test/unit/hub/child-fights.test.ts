import { describe, expect, it } from "vitest";
import { createChildFights, tokenOwner } from "../../../src/hub/child-fights.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";

const ref = { type: resourceTypes.configMap, namespace: "fleet", name: "c" };
const object = coreObject("ConfigMap", "c");

function update(kind: "create" | "update" = "update", to = "1"): PlannedChange {
  return { kind, ref, object, manager: "rollcall-hub", fields: [{ path: "/data/a", from: "9", to }] };
}

/** The fights after these changes of one member, each a second after the one before. */
function fightsAfter(changes: readonly PlannedChange[]) {
  let nowMs = 0;
  const fights = createChildFights({ monotonicMs: () => nowMs });
  for (const change of changes) {
    nowMs += 1000;
    fights.record("fleet/eu-1", [{ change, before: object }]);
  }
  return { fights, pass: (ms: number) => void (nowMs += ms) };
}

const times = (count: number, change = update()) => Array.from({ length: count }, () => change);

describe("createChildFights", () => {
  it.each([
    { reason: "the first write of a value and two reverts", changes: times(3), isFight: false },
    { reason: "the first write of a value and three reverts", changes: times(4), isFight: true },
    {
      reason: "another value each time",
      changes: ["1", "2", "3", "4"].map((to) => update("update", to)),
      isFight: false,
    },
    { reason: "an object that is created again", changes: times(4, update("create")), isFight: false },
  ])("reports a fight after $reason: $isFight", ({ changes, isFight }) => {
    const { fights } = fightsAfter(changes);
    expect(fights.describe("fleet/eu-1") !== undefined).toBe(isFight);
    expect(fights.nextInMs("fleet/eu-1") !== undefined).toBe(isFight);
    expect(fights.describe("fleet/eu-2")).toBeUndefined();
  });

  it("F13 holds back a further revert within a second of the last one, of fields that are fought over alone", () => {
    const { fights, pass } = fightsAfter(times(4));
    const isHeld = (change: PlannedChange) => fights.isHeld("fleet/eu-1", change);
    expect(isHeld(update())).toBe(true);
    expect(fights.nextInMs("fleet/eu-1")).toBe(1000);
    expect(isHeld(update("update", "2"))).toBe(false);
    expect(isHeld(update("create"))).toBe(false);
    expect(isHeld({ ...update(), fields: [{ path: "/data/b", to: "1" }] } as PlannedChange)).toBe(false);
    expect(fights.isHeld("fleet/eu-2", update())).toBe(false);
    pass(1000);
    expect(isHeld(update())).toBe(false);
    expect(fights.nextInMs("fleet/eu-1")).toBeGreaterThan(1000);
  });

  it("reverts at once before there is a fight", () => {
    expect(fightsAfter(times(3)).fights.isHeld("fleet/eu-1", update())).toBe(false);
  });

  it("keeps the fights of a token apart from those of a member of the same name", () => {
    const { fights } = fightsAfter(times(4));
    expect(fights.describe(tokenOwner("fleet", "eu-1"))).toBeUndefined();
    for (const change of times(4)) fights.record(tokenOwner("fleet", "eu-2"), [{ change, before: object }]);
    expect(fights.describe(tokenOwner("fleet", "eu-2"))).toContain("keeps changing /data/a");
    for (const owner of ["fleet/eu-2", tokenOwner("labs", "eu-2"), tokenOwner("fleet", "eu-3")])
      expect([owner, fights.describe(owner)]).toEqual([owner, undefined]);
  });

  it.each([
    { reason: "a second after", ms: 1000, inMs: undefined },
    { reason: "shortly before", ms: 600, inMs: 400 },
    { reason: "at the moment of", ms: 0, inMs: 1000 },
  ])("reverts a field again from a second after its last revert on: $reason it", ({ ms, inMs }) => {
    const { fights, pass } = fightsAfter(times(4));
    pass(ms);
    expect(fights.isHeld("fleet/eu-1", update())).toBe(inMs !== undefined);
    if (inMs === undefined) expect(fights.nextInMs("fleet/eu-1")).toBeGreaterThan(1000);
    else expect(fights.nextInMs("fleet/eu-1")).toBe(inMs);
  });

  it("F13 is due at once for what was held back when the second ended before the pass did, and once", () => {
    const { fights, pass } = fightsAfter(times(4));
    pass(999);
    expect(fights.isHeld("fleet/eu-1", update())).toBe(true);
    pass(2);
    expect(fights.nextInMs("fleet/eu-1")).toBe(0);
    expect(fights.nextInMs("fleet/eu-1")).toBeGreaterThan(1000);
  });

  it("keeps the fight of a member whose objects are created or stay as they are meanwhile", () => {
    const { fights } = fightsAfter(times(4));
    fights.record("fleet/eu-1", []);
    fights.record("fleet/eu-1", [{ change: update("create"), before: undefined }]);
    fights.record("fleet/eu-2", []);
    expect(fights.describe("fleet/eu-1")).toBeDefined();
    expect(fights.nextInMs("fleet/eu-2")).toBeUndefined();
  });

  it("forgets the fights that have ended when another is recorded: it visits each of them once more, and then none", () => {
    let [nowMs, visits] = [0, 0];
    const fights = createChildFights({
      monotonicMs: () => {
        visits += 1;
        return nowMs;
      },
    });
    const visitsOf = (owner: string, count: number): number => {
      visits = 0;
      fights.record(
        owner,
        times(count, update()).map((change) => ({ change, before: object })),
      );
      return visits;
    };
    // Each record visits the fights of its own owner, and those of the owner that was recorded longest ago.
    expect(visitsOf("fleet/none", 0)).toBe(1);
    for (let at = 0; at < 100; at += 1) expect(visitsOf(`fleet/eu-${at}`, 4)).toBe(2);
    nowMs = 60 * 60_000;
    expect(visitsOf("fleet/us-1", 4)).toBe(102);
    expect(visitsOf("fleet/none", 0)).toBe(2);
  });

  it("forgets a fight that has ended, when another member is recorded", () => {
    const { fights, pass } = fightsAfter(times(4));
    pass(60 * 60_000);
    expect(fights.describe("fleet/eu-1")).toBeUndefined();
    fights.record("fleet/eu-2", [{ change: update(), before: object }]);
    expect(fights.nextInMs("fleet/eu-1")).toBeUndefined();
  });
});
