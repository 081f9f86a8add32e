import { describe, expect, it } from "vitest";
import { countCalls, moreCalls, withoutOptimizer } from "../../support/count-calls.ts";
import { clusterPath, clusterText, scaleFleet, selecting } from "../../support/scale-fleet.ts";
import { createPlanWorld } from "../review/plan-world.ts";

withoutOptimizer();

/** One label of one file, in a fleet that is settled. */
async function pushOneLabel(size: number) {
  const world = createPlanWorld();
  const files = scaleFleet(size);
  await world.push(files);
  // What many changes left is reconciled as a whole once more.
  await world.run();
  await world.push({ ...files, [clusterPath(1)]: clusterText(1, "second") });
  world.commit({ ...files, [clusterPath(1)]: clusterText(1, "third") });
  const counts = await countCalls(() => world.run());
  return { counts, visits: world.visits, changes: world.plans.map(({ changes }) => changes.length) };
}

/** One rule that gives half of the clusters another label. */
async function pushOneRule(size: number) {
  const world = createPlanWorld();
  await world.push(scaleFleet(size));
  const writes: string[] = [];
  world.hub.onApply = (name) => writes.push(name);
  await world.push({
    ...scaleFleet(size),
    "rules/r0.yaml": selecting("ClusterLabels", "r0", "", ", labels: { half: x }"),
  });
  return { writes, plans: world.plans.length };
}

describe("a push that changes one label", () => {
  it("costs the same in a fleet ten times as large", async () => {
    const [small, large] = [await pushOneLabel(300), await pushOneLabel(3000)];
    expect([small.changes, large.changes].map((changes) => changes.slice(1))).toEqual([
      [0, 1, 1],
      [0, 1, 1],
    ]);
    expect(large.visits.at(-1)).toBe(small.visits.at(-1));
    expect(large.visits.at(-1)).toBeLessThanOrEqual(3);
    expect(moreCalls(small.counts, large.counts, 10)).toEqual([]);
  });
});

describe("a push that changes a rule of many clusters", () => {
  it("plans once, and writes each of them once", async () => {
    const { writes, plans } = await pushOneRule(300);
    expect(plans).toBe(2);
    expect([writes.length, new Set(writes).size]).toEqual([300, 300]);
  });
});
