import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { Plan } from "../../../src/model/plan.ts";
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
  const onBase = plan.withheld.flatMap(({ cluster, isOnBase }) => (isOnBase === true ? [cluster] : []));
  return { planned: shown(plan), done: done && shown(done), onBase };
}

describe("planMerge", () => {
  it("removes what the merge removes", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b"));
    const { planned, done } = await planAndMerge(world);
    expect(planned).toEqual({ removed: ["fleet/a"], withheld: [] });
    expect(done).toEqual(planned);
  });

  it("names only files in conflict that both sides changed in another way", async () => {
    const world = createPlanWorld();
    await world.push({ ...filesOf("a"), "README.md": "old", "notes.md": "old", "gone.md": "old" });
    const branch = { ...filesOf("a"), "README.md": "new", "notes.md": "ours" };
    const head = world.commit(branch, "Branch\n", { isBeside: true });
    await world.push({ ...filesOf("a"), "README.md": "new", "notes.md": "theirs" });
    expect(await world.conflictsOf(head)).toEqual(["notes.md"]);
  });

  it("removes what the merge removes where the Repository follows another branch of the same history", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b"));
    change(world, { spec: { url: "memory", ref: { branch: "next" } } });
    const { planned, done } = await planAndMerge(world);
    expect(planned).toEqual({ removed: ["fleet/a"], withheld: [] });
    expect(done).toEqual(planned);
  });

  it.each<[string, readonly Record<string, string>[], Record<string, string>, readonly [string, string]]>([
    [
      "the branch makes a file a link",
      [],
      { ...filesOf("b"), "a.yaml": "-> b.yaml" },
      ["", "fleet/a held-by-bad-file"],
    ],
    [
      "a file of the main branch is a link",
      [{ ...filesOf("b", "c"), "a.yaml": "-> b.yaml" }],
      { ...filesOf("b"), "a.yaml": "-> b.yaml" },
      ["fleet/c", "fleet/a held-by-bad-file"],
    ],
    [
      "the branch deletes a link of the main branch",
      [{ ...filesOf("b", "c"), "a.yaml": "-> b.yaml" }],
      filesOf("b", "c"),
      ["fleet/a", ""],
    ],
  ])("plans what the merge does where %s", async (_what, main, branch, expected) => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b", ...(main.length > 0 ? ["c"] : [])));
    for (const files of main) await world.push(files);
    const head = world.commit(branch, "Branch\n", { isBeside: true });
    const shown = (plan: Plan | undefined) => [
      plan?.removals.map(({ cluster }) => cluster).join(" "),
      plan?.withheld.map(({ cluster, because }) => `${cluster} ${because}`).join(" "),
    ];
    const planned = shown(await world.planMerge(head));
    await world.push(branch);
    expect(planned).toEqual(expected);
    expect(shown(world.plans.at(-1))).toEqual(planned);
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

  it("removes what the merge removes where another history was pushed to the branch that the Repository follows", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b"));
    world.commit(filesOf("a", "b"), "Start\n", { parents: [] });
    const { planned, done } = await planAndMerge(world);
    expect(planned).toEqual({ removed: ["fleet/a"], withheld: [] });
    expect(done).toEqual(planned);
  });

  it("withholds what the merge withholds where the branch breaks a file that is new on the main branch", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b", "c", "d"));
    await world.push(filesOf("c", "d", "new"));
    const broken = { ...filesOf("c", "d"), "new.yaml": "kind: [" };
    const head = world.commit(broken, "Branch\n", { isBeside: true });
    const withheld = (plan: Plan | undefined) => plan?.withheld.map(({ cluster, because }) => `${cluster} ${because}`);
    const planned = withheld(await world.planMerge(head));
    await world.push(broken);
    expect(planned).toEqual(["fleet/a held-by-bad-file", "fleet/b held-by-bad-file"]);
    expect(withheld(world.plans.at(-1))).toEqual(planned);
  });

  it("withholds what the merge withholds where nothing was settled", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b", "c"));
    change(world, { status: {} });
    world.commit(filesOf("a", "b"));
    await world.run();
    const { planned, done, onBase } = await planAndMerge(world);
    expect(planned).toEqual({ removed: [], withheld: ["fleet/a not-applied-before", "fleet/c not-applied-before"] });
    expect(onBase).toEqual(["fleet/c"]);
    expect(done).toEqual(planned);
  });
});

describe("planMerge of a branch that crosses the main branch", () => {
  it("A148 removes what the branch deletes, whatever of both branches its author merged first", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a"));
    const start = world.commit(filesOf("a", "b"), "Start\n");
    const side = world.commit(filesOf("a", "b", "f"), "Branch\n", { isBeside: true, parents: [start] });
    const main = world.commit(filesOf("a", "b", "c"), "Main\n", { parents: [start] });
    world.commit(filesOf("a", "b", "c", "f"), "Merge the branch\n", { parents: [main, side] });
    await world.run();
    const head = world.commit(filesOf("a", "b", "f"), "Merge main\n", { isBeside: true, parents: [side, main] });
    const { removals } = await world.planMerge(head);
    expect(removals.map(({ cluster }) => cluster)).toEqual(["fleet/c"]);
  });
});

describe("planMerge of a branch with more commits than are listed at once", () => {
  it("takes back nothing that the main branch got since the branch began", async () => {
    const world = createPlanWorld();
    await world.push(filesOf("a", "b"));
    let head = world.commit(filesOf("a", "b", "c"), "Branch\n", { isBeside: true });
    for (let count = 0; count < 1005; count += 1)
      head = world.commit(filesOf("a", "b", "c"), `Branch ${count}\n`, { isBeside: true, parents: [head] });
    await world.push({
      ...filesOf("a", "d"),
      "b.yaml": filesOf("b")["b.yaml"]?.replace("}", ", labels: {on: main}}") ?? "",
    });
    const { changes, removals, withheld } = await world.planMerge(head);
    expect(changes.map(({ kind, ref }) => `${kind} ${ref.name}`)).toEqual(["create c"]);
    expect([removals, withheld]).toEqual([[], []]);
  });
});

describe("planMerge, where the list of ignored files is another one", () => {
  const shownOf = (plan: Plan | undefined) => ({
    created: plan?.changes.flatMap(({ kind, ref }) => (kind === "create" ? [ref.name] : [])),
    removed: plan?.removals.map(({ cluster }) => cluster),
  });

  /** What a merge of a branch would do, and what is done after it; main may have moved meanwhile. */
  async function compare(steps: {
    readonly before: Record<string, string>;
    readonly branch: Record<string, string>;
    readonly main?: Record<string, string>;
    readonly merged: Record<string, string>;
  }) {
    const world = createPlanWorld();
    await world.push(steps.before);
    const head = world.commit(steps.branch, "Branch\n", { isBeside: true });
    if (steps.main) await world.push(steps.main);
    const planned = shownOf(await world.planMerge(head));
    await world.push(steps.merged);
    return { planned, done: shownOf(world.plans.at(-1)) };
  }

  it("A91 removes what the branch ignores from now on", async () => {
    const after = { ...filesOf("a", "b"), ".rollcallignore": "a.yaml\n" };
    const { planned, done } = await compare({ before: filesOf("a", "b"), branch: after, merged: after });
    expect(done).toEqual({ created: [], removed: ["fleet/a"] });
    expect(planned).toEqual(done);
  });

  it("makes what the branch does not ignore any more", async () => {
    const before = { ...filesOf("a", "b"), ".rollcallignore": "a.yaml\n" };
    const { planned, done } = await compare({ before, branch: filesOf("a", "b"), merged: filesOf("a", "b") });
    expect(done).toEqual({ created: ["a"], removed: [] });
    expect(planned).toEqual(done);
  });

  it("does not make what the main branch ignores since", async () => {
    const main = { ...filesOf("b"), ".rollcallignore": "a.yaml\n" };
    const { planned, done } = await compare({
      ...{ before: filesOf("b"), branch: filesOf("a", "b"), main },
      merged: { ...main, ...filesOf("a") },
    });
    expect(done).toEqual({ created: [], removed: [] });
    expect(planned).toEqual(done);
  });
});
