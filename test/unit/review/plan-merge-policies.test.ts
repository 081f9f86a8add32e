import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { PlanWorld } from "./plan-world.ts";
import { createPlanWorld } from "./plan-world.ts";

const header = "apiVersion: rollcall.dev/v1alpha1\n";
const clusterOf = (name: string, labels: string): string =>
  `${header}kind: Cluster\nmetadata: {name: ${name}, namespace: fleet, labels: ${labels}}\n`;
const policyOf = (expression: string): string =>
  `${header}kind: Policy\nmetadata: {name: house, namespace: fleet}\nspec: {rules: [{expression: "${expression}", message: refused}]}\n`;
const needsOwner = policyOf("object.metadata.?labels.?owner.hasValue()");
const frozen = policyOf("oldObject == null || object.metadata.labels == oldObject.metadata.labels");
const broken = policyOf("has((");
type Files = Readonly<Record<string, string>>;

const applied: Files = { "a.yaml": clusterOf("a", "{owner: us}"), "p.yaml": needsOwner };

interface Steps {
  /** What was applied. */
  readonly first?: Files;
  /** What the main branch got since, when the branch began. */
  readonly main: Files;
  readonly branch: Files;
  /** What the main branch got after the branch began. Default: nothing. */
  readonly later?: Files;
  readonly prepare?: (world: PlanWorld) => void;
}

function shown(plan: Plan | undefined) {
  return {
    changes: plan?.changes.map(({ kind, ref }) => `${kind} ${ref.name}`),
    problems: plan?.problems.map(({ code, file }) => `${code} ${file}`),
  };
}

/** What a merge would do to clusters, and what is done after it. */
async function compare({ first = applied, main, branch, later = {}, prepare = () => undefined }: Steps) {
  const world = createPlanWorld();
  await world.push(first);
  await world.push({ ...first, ...main });
  prepare(world);
  const head = world.commit({ ...first, ...main, ...branch }, "Branch\n", { isBeside: true });
  await world.push({ ...first, ...main, ...later });
  const planned = shown(await world.planMerge(head));
  await world.push({ ...first, ...main, ...later, ...branch });
  return { planned, done: shown(world.plans.at(-1)) };
}

describe("planMerge with policies", () => {
  it.each<[string, Steps, readonly string[]]>([
    [
      "a policy of the main branch does not compile: the applied one is in force",
      {
        main: { "p.yaml": broken },
        branch: { "b.yaml": clusterOf("b", "{}"), "c.yaml": clusterOf("c", "{owner: us}") },
      },
      ["create c"],
    ],
    [
      "a policy does not compile before and after the branch",
      { main: { "p.yaml": broken }, branch: { "p.yaml": policyOf("has(((") } },
      [],
    ],
    [
      "a change on the main branch waits since it breaks a rule",
      { main: { "a.yaml": clusterOf("a", "{env: dev}") }, branch: { "c.yaml": clusterOf("c", "{owner: us}") } },
      ["create c"],
    ],
    [
      "a new cluster on the main branch breaks a rule",
      { main: { "b.yaml": clusterOf("b", "{}") }, branch: { "c.yaml": clusterOf("c", "{owner: us}") } },
      ["create c"],
    ],
    [
      "a rule compares with what was applied, not with what the main branch declares",
      {
        first: { ...applied, "p.yaml": frozen },
        main: { "a.yaml": clusterOf("a", "{owner: them}") },
        branch: { "a.yaml": clusterOf("a", "{owner: us}") },
      },
      [],
    ],
    [
      "the branch keeps a label that the main branch changed since, and that waits there",
      {
        main: {},
        branch: { "c.yaml": clusterOf("c", "{owner: us}") },
        later: { "a.yaml": clusterOf("a", "{env: dev}") },
      },
      ["create c"],
    ],
    [
      "a policy is made stricter: what was applied stays in force",
      { main: {}, branch: { "p.yaml": policyOf("object.metadata.?labels.?team.hasValue()") } },
      [],
    ],
    [
      "nothing was applied",
      {
        main: { "b.yaml": clusterOf("b", "{}") },
        branch: { "c.yaml": clusterOf("c", "{owner: us}") },
        prepare: ({ hub }) => {
          const repository = hub.objects(resourceTypes.repository)[0] as unknown as Repository;
          hub.put({ ...repository, status: {} });
        },
      },
      ["create c"],
    ],
  ])("plans what the merge does where %s", async (_reason, steps, changes) => {
    const { planned, done } = await compare(steps);
    expect(done.changes).toEqual(changes);
    expect(planned).toEqual(done);
  });

  it("plans what the merge does where another history was pushed since, to which nothing was applied", async () => {
    const world = createPlanWorld();
    const first = { ...applied, "p.yaml": frozen };
    await world.push(first);
    world.commit(first, "Start\n", { parents: [] });
    const files = { ...first, "a.yaml": clusterOf("a", "{owner: them}") };
    const planned = shown(await world.planMerge(world.commit(files, "Branch\n", { isBeside: true })));
    await world.push(files);
    expect(planned.changes).toEqual(["update a"]);
    expect(planned).toEqual(shown(world.plans.at(-1)));
  });
});
