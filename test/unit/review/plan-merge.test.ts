import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { PlanWorld } from "./plan-world.ts";
import { createPlanWorld } from "./plan-world.ts";

const filesOf = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [
      `${name}.yaml`,
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\n`,
    ]),
  );

function change({ hub }: PlanWorld, { spec, status }: Partial<Pick<Repository, "spec" | "status">>): void {
  const repository = hub.objects(resourceTypes.repository)[0] as unknown as Repository;
  hub.put({
    ...repository,
    spec: { ...repository.spec, ...spec },
    ...(status === undefined ? {} : { status }),
  });
}

/** What a merge of a commit that removes `a` would do, and what is done after that merge. */
async function planAndMerge(world: PlanWorld) {
  const head = world.commit(filesOf("b"), "Remove a\n", { isBeside: true });
  const plan = await world.planMerge(head);
  world.commit(filesOf("b"), "Merge\n");
  await world.run();
  const shown = ({ removals, withheld }: Pick<typeof plan, "removals" | "withheld">) => ({
    removed: removals.map(({ cluster }) => cluster),
    withheld: withheld.map(({ cluster, because }) => `${cluster} ${because}`),
  });
  const done = world.plans.at(-1);
  return { planned: shown(plan), done: done && shown(done) };
}

describe("planMerge", () => {
  it("removes what the merge removes", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b"));
    const { planned, done } = await planAndMerge(world);
    expect(planned).toEqual({ removed: ["fleet/a"], withheld: [] });
    expect(done).toEqual(planned);
  });

  it("withholds what the merge withholds where the Repository follows another history", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b", "c"));
    change(world, { spec: { url: "memory", ref: { branch: "next" } } });
    world.commit(filesOf("a", "b"), "Start\n", { parents: [] });
    await world.run();
    const { planned, done } = await planAndMerge(world);
    expect(planned).toEqual({ removed: [], withheld: ["fleet/a foreign-history", "fleet/c foreign-history"] });
    expect(done).toEqual(planned);
  });

  it("withholds what the merge withholds where nothing was settled", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b", "c"));
    change(world, { status: {} });
    world.commit(filesOf("a", "b"));
    await world.run();
    const { planned, done } = await planAndMerge(world);
    expect(planned).toEqual({ removed: [], withheld: ["fleet/a not-applied-before", "fleet/c not-applied-before"] });
    expect(done).toEqual(planned);
  });
});
