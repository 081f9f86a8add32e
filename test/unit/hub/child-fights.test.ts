import { describe, expect, it } from "vitest";
import { createChildFights } from "../../../src/hub/child-fights.ts";
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

  it("forgets a fight that has ended, when another member is recorded", () => {
    const { fights, pass } = fightsAfter(times(4));
    pass(60 * 60_000);
    expect(fights.describe("fleet/eu-1")).toBeUndefined();
    fights.record("fleet/eu-2", [{ change: update(), before: object }]);
    expect(fights.nextInMs("fleet/eu-1")).toBeUndefined();
  });
});
