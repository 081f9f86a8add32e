import { describe, expect, it } from "vitest";
import { countCalls, moreCalls, withoutOptimizer } from "../../support/count-calls.ts";
import { createPlanWorld } from "../review/plan-world.ts";

withoutOptimizer();

/** A fleet with 20 rules and 50 groups. */
function fleet(size: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let index = 0; index < size; index++) files[pathOf(index)] = clusterText(index, "first");
  for (let index = 0; index < 20; index++)
    files[`rules/r${index}.yaml`] = selecting(
      "ClusterLabels",
      `r${index}`,
      `{ region: r${index} }`,
      "labels: { tier: t }",
    );
  for (let index = 0; index < 50; index++)
    files[`groups/g${index}.yaml`] = selecting("ClusterGroup", `g${index}`, `{ part: p${index} }`);
  return files;
}

function pathOf(index: number): string {
  return `clusters/${Math.floor(index / 100)}/c${index}.yaml`;
}

function clusterText(index: number, value: string): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster",
    `metadata: { name: c${index}, labels: { value: ${value}, region: r${index % 40}, part: p${index % 50} } }`,
    `spec: { displayName: Cluster ${index} }\n`,
  ].join("\n");
}

function selecting(kind: string, name: string, labels: string, more?: string): string {
  const spec = [`selector: { matchLabels: ${labels} }`, ...(more === undefined ? [] : [more])].join(", ");
  return `apiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: { ${spec} }\n`;
}

/** One label of one file, in a fleet that is settled. */
async function pushOneLabel(size: number) {
  const world = createPlanWorld();
  const files = fleet(size);
  await world.push(files);
  // What many changes left is looked at whole once more.
  await world.run();
  await world.push({ ...files, [pathOf(1)]: clusterText(1, "second") });
  world.commit({ ...files, [pathOf(1)]: clusterText(1, "third") });
  const counts = await countCalls(() => world.run());
  return { counts, visits: world.visits, changes: world.plans.map(({ changes }) => changes.length) };
}

/** One rule that gives half of the clusters another label. */
async function pushOneRule(size: number) {
  const world = createPlanWorld();
  await world.push(fleet(size));
  const writes: string[] = [];
  world.hub.onApply = (name) => writes.push(name);
  await world.push({ ...fleet(size), "rules/r0.yaml": selecting("ClusterLabels", "r0", "{}", "labels: { half: x }") });
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
