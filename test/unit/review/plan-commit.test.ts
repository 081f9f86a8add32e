import { describe, expect, it } from "vitest";
import type { Repository, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { PlanWorld } from "./plan-world.ts";
import { createPlanWorld } from "./plan-world.ts";

const names = ["a", "b", "c", "d", "e", "f"];
const filesOf = (declared: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    declared.map((name) => [
      `${name}.yaml`,
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\n`,
    ]),
  );
const clusterWith = (name: string, labels: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet, labels: ${labels}}\n`;
const approved = (count: number): string => `Change\n\nRollcall-Allow-Deletions: ${count}\n`;
/** Without a parent: of another history. One removal is within the budget. */
const unrelated = { parents: [] };
const fewer = filesOf(names.slice(1));

function repositoryOf({ hub }: PlanWorld): Repository {
  return hub.objects(resourceTypes.repository)[0] as unknown as Repository;
}

interface Change extends Partial<Pick<Repository, "spec" | "status">> {
  readonly annotations?: Record<string, string>;
}

function change(world: PlanWorld, { annotations = {}, ...changes }: Change): void {
  const repository = repositoryOf(world);
  world.hub.put({ ...repository, ...changes, metadata: { ...repository.metadata, annotations } });
}

/** The settings as before, with another branch. */
function pointElsewhere(world: PlanWorld): void {
  change(world, { spec: { ...repositoryOf(world).spec, ref: { branch: "next" } } });
}

const statusOf = (world: PlanWorld): RepositoryStatus => repositoryOf(world).status ?? {};
const leaving = ({ hub }: PlanWorld): string[] =>
  hub
    .objects(resourceTypes.cluster)
    .flatMap(({ metadata }) => (metadata.annotations?.[annotationKeys.leave] === undefined ? [] : [metadata.name]));

async function expectWithheld(world: PlanWorld, reason: string, runs = 2): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    await world.run();
    expect([leaving(world), statusOf(world).withheld]).toMatchObject([[], { count: 1, reason, approvable: 1 }]);
  }
}

async function applied(message?: string): Promise<PlanWorld> {
  const world = createPlanWorld();
  world.commit(filesOf(names), message);
  await world.run();
  expect(statusOf(world).appliedCommit).toBe(statusOf(world).observedCommit);
  return world;
}

describe("A83 the removals of a Repository that is pointed at an unrelated history", () => {
  it("wait, although the head approves removals there: that approval is older than the change of place", async () => {
    const world = await applied();
    pointElsewhere(world);
    world.commit(fewer, approved(9), unrelated);
    await expectWithheld(world, "foreign-history");
    // What is pushed after the daemon knows the place counts.
    const head = world.commit(fewer, approved(1));
    await world.run();
    expect([leaving(world), statusOf(world)]).toMatchObject([["a"], { settledCommit: head }]);
  });

  it.each([0, 1])("wait for an approval of their number, although the budget has room for them: %i", async (count) => {
    const world = createPlanWorld();
    const many = [...names, ..."ghijklmnopqrstuvwxyz"];
    world.commit(filesOf(many));
    await world.run();
    pointElsewhere(world);
    world.commit(filesOf(many.slice(2)), "Change\n", unrelated);
    await world.run();
    world.commit(filesOf(many.slice(2)), approved(count));
    await world.run();
    expect([leaving(world), statusOf(world).withheld]).toMatchObject([
      [],
      { count: 2, reason: "foreign-history", approvable: 2 },
    ]);
    world.commit(filesOf(many.slice(2)), approved(2));
    await world.run();
    expect(leaving(world)).toEqual(["a", "b"]);
  });

  it("are named beside the approval in the head that does not count", async () => {
    const world = await applied();
    pointElsewhere(world);
    world.commit(fewer, approved(9), unrelated);
    await world.run();
    expect(world.plans.at(-1)?.problems).toMatchObject([
      { code: "E_APPROVAL", message: expect.stringContaining("does not count: it ended, or is older") as unknown },
    ]);
  });

  it("are let through by a command that names the head, whatever its message contains", async () => {
    const world = await applied();
    pointElsewhere(world);
    const head = world.commit(fewer, approved(9), unrelated);
    await expectWithheld(world, "foreign-history", 1);
    change(world, { annotations: { [annotationKeys.approvedDeletions]: `${head} 1 2026-01-01T00:00:00.000Z` } });
    await world.run();
    expect(leaving(world)).toEqual(["a"]);
  });

  it("wait, although the former history had approvals", async () => {
    const world = await applied(approved(9));
    expect(statusOf(world).approvals).toMatchObject([{ count: 9, lapsed: true }]);
    pointElsewhere(world);
    world.commit(fewer, "Change\n", unrelated);
    await expectWithheld(world, "foreign-history");
  });

  it("wait, although an earlier commit of that history approves removals: a later one is the head", async () => {
    const world = await applied();
    pointElsewhere(world);
    world.commit(filesOf(names), "Start\n", unrelated);
    world.commit({ ...filesOf(names), "bad.yaml": "kind: [" });
    world.commit(fewer, approved(9));
    world.commit(fewer);
    await expectWithheld(world, "foreign-history");
    world.commit(fewer, approved(9));
    world.commit(fewer);
    await expectWithheld(world, "foreign-history");
  });

  it("wait after a file with errors was corrected there", async () => {
    const world = await applied();
    pointElsewhere(world);
    world.commit({ ...fewer, "new.yaml": "kind: [" }, "Change\n", unrelated);
    await expectWithheld(world, "foreign-history");
    world.commit(fewer);
    await expectWithheld(world, "foreign-history");
  });

  it("wait where the Repository was deleted and is made again", async () => {
    const world = await applied();
    change(world, { status: {} });
    world.commit(fewer, approved(9), unrelated);
    await expectWithheld(world, "not-applied-before");
  });
});

describe("files that became links", () => {
  const links = (count: number, name: (index: number) => string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), "-> elsewhere"]));

  it.each([
    { what: "folders are links, too", others: links(120, (index) => `0/${String(index)}`) },
    { what: "other files became links, too", others: links(120, (index) => `0/${String(index)}.yaml`) },
  ])("declare what they declared, although many $what", async ({ others }) => {
    const world = createPlanWorld();
    await world.push({ ...others, ...filesOf(["a", "b"]) });
    world.commit({ ...others, ...filesOf(["b"]), "a.yaml": "-> b.yaml" });
    await world.run();
    expect(world.plans.at(-1)?.withheld.map(({ cluster, because }) => `${cluster} ${because}`)).toEqual([
      "fleet/a held-by-bad-file",
    ]);
  });
});

describe("A97 a file that was ignored when it was merged", () => {
  const house = [
    "apiVersion: rollcall.dev/v1alpha1",
    "kind: Policy",
    "metadata: {name: house, namespace: fleet}",
    `spec: {rules: [{expression: "object.metadata.?labels.?owner.hasValue()", message: no owner}]}`,
  ].join("\n");
  const owned = { "a.yaml": clusterWith("a", "{owner: us}"), "p.yaml": house };
  const ignoring = { ...owned, ".rollcallignore": "hidden\n" };
  const created = ({ hub }: PlanWorld): string[] =>
    hub.objects(resourceTypes.cluster).map(({ metadata }) => metadata.name);

  it("is held to the policies as a new one, once it is not ignored any more", async () => {
    const world = createPlanWorld();
    await world.push({
      ...ignoring,
      "hidden/b.yaml": clusterWith("b", "{}"),
      "hidden/c.yaml": clusterWith("c", "{owner: us}"),
    });
    expect(statusOf(world).appliedCommit).toBe(statusOf(world).observedCommit);
    await world.push({
      ...owned,
      "hidden/b.yaml": clusterWith("b", "{}"),
      "hidden/c.yaml": clusterWith("c", "{owner: us}"),
    });
    expect(world.plans.at(-1)?.problems.map(({ code, file }) => `${file} ${code}`)).toEqual(["hidden/b.yaml E_POLICY"]);
    expect(created(world)).toEqual(["a", "c"]);
  });

  it("was not there before, also for a rule about changes", async () => {
    const world = createPlanWorld();
    const rule = house.replace(
      "object.metadata.?labels.?owner.hasValue()",
      "object.metadata.name == 'a' || oldObject != null",
    );
    const hidden = { "hidden/b.yaml": clusterWith("b", "{owner: us}") };
    await world.push({ ...ignoring, ...hidden, "p.yaml": rule });
    await world.push({ ...owned, ...hidden, "p.yaml": rule });
    expect(created(world)).toEqual(["a"]);
  });
});

describe("an encrypted Secret, without keys", () => {
  const sealed = "ENC[AES256_GCM,data:Zm9v,iv:YmFy,tag:YmF6,type:str]";
  const file = `apiVersion: v1\nkind: Secret\nmetadata: {name: own, namespace: fleet}\nstringData: {value: "${sealed}"}\nsops: {lastmodified: "2026-01-01T00:00:00Z", mac: "${sealed}", version: 3.9.0}\n`;
  const changesOf = ({ plans }: PlanWorld): readonly string[] | undefined =>
    plans.at(-1)?.changes.map(({ kind, ref }) => `${kind} ${ref.name}`);

  it("is taken to be on the hub as its file has it: its encrypted text is not sent there", async () => {
    const world = createPlanWorld();
    await world.push({ ...filesOf(["a"]), "own.yaml": file });
    expect(changesOf(world)).toEqual(["create a"]);
  });
});
