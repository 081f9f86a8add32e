import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { PlanWorld } from "./plan-world.ts";
import { createPlanWorld } from "./plan-world.ts";

/** Clusters that files declare, and a text that branches change. */
const filesOf = (names: string, text = "old"): Record<string, string> => ({
  "README.md": text,
  ...Object.fromEntries(
    [...names].map((name) => [
      `${name}.yaml`,
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\n`,
    ]),
  ),
});
const allow = (count: number): string => `Change\n\nRollcall-Allow-Deletions: ${count}\n`;

const removalsOf = (plan: Plan | undefined) => ({
  removed: plan?.removals.map(({ cluster }) => cluster),
  withheld: plan?.withheld.map(({ cluster, because }) => `${cluster} ${because}`),
});

/** A person keeps the daemon from changing a cluster, or no longer: a removal that waits for it keeps its approval. */
function suspend({ hub, view }: PlanWorld, name: string, isSuspended = true): void {
  const find = () => hub.objects(resourceTypes.cluster).find(({ metadata }) => metadata.name === name);
  const cluster = find();
  if (cluster === undefined) throw new Error(`there is no cluster ${name}`);
  const { [annotationKeys.reconcile]: _, ...annotations } = cluster.metadata.annotations ?? {};
  const mark: Record<string, string> = isSuspended ? { [annotationKeys.reconcile]: "disabled" } : {};
  hub.put({ ...cluster, metadata: { ...cluster.metadata, annotations: { ...annotations, ...mark } } });
  view.recordWritten(resourceTypes.cluster, find() ?? cluster);
}

describe("A59 an earlier approval, in the plan of a branch that is behind", () => {
  it("does not cover a cluster that was declared and removed since, which the branch never had", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("abst"));
    suspend(world, "s");
    world.commit(filesOf("ab"), allow(3));
    await world.run();
    expect(removalsOf(world.plans.at(-1))).toEqual({ removed: ["fleet/t"], withheld: ["fleet/s suspended"] });
    const head = world.commit(filesOf("ab", "new"), "Text\n", { isBeside: true });
    await world.push(filesOf("abd"));
    const main = world.commit(filesOf("ab"), "Remove d\n");
    await world.run();

    const expected = { removed: [], withheld: ["fleet/s suspended", "fleet/d budget"] };
    expect(removalsOf(world.plans.at(-1))).toEqual(expected);
    expect(removalsOf(await world.planMerge(head))).toEqual(expected);
    world.commit(filesOf("ab", "new"), "Merge\n", { parents: [main, head] });
    await world.run();
    expect(removalsOf(world.plans.at(-1))).toEqual(expected);
  });

  it("covers what it approves on the main branch, which the branch does not have", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("abst"));
    suspend(world, "s");
    const head = world.commit(filesOf("abst", "new"), "Text\n", { isBeside: true });
    const main = world.commit(filesOf("ab"), allow(2));
    await world.run();
    expect(removalsOf(world.plans.at(-1))).toEqual({ removed: ["fleet/t"], withheld: ["fleet/s suspended"] });
    suspend(world, "s", false);

    const expected = { removed: ["fleet/s"], withheld: [] };
    expect(removalsOf(await world.planMerge(head))).toEqual(expected);
    world.commit(filesOf("ab", "new"), "Merge\n", { parents: [main, head] });
    await world.run();
    expect(removalsOf(world.plans.at(-1))).toEqual(expected);
  });
});
