import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { comparable, createPlanWorld } from "./plan-world.ts";

const header = "apiVersion: rollcall.dev/v1alpha1\n";
const clusterOf = (name: string, { labels = "{}", spec = "{}", more = "" } = {}): string =>
  `${header}kind: Cluster\nmetadata: {name: ${name}, namespace: fleet, labels: ${labels}${more}}\nspec: ${spec}\n`;
const documentOf = (kind: string, name: string, spec: string): string =>
  `${header}kind: ${kind}\nmetadata: {name: ${name}, namespace: fleet}\nspec: ${spec}\n`;
const files = {
  "a.yaml": clusterOf("a"),
  "b.yaml": clusterOf("b", { spec: "{clientID: one}" }),
  "both.yaml": `${clusterOf("c")}---\n${clusterOf("d")}`,
  "group.yaml": documentOf("ClusterGroup", "g", "{selector: {matchLabels: {env: x}}}"),
  "token.yaml": documentOf("ClusterRegistrationToken", "t", "{ttl: 24h}"),
};
type Files = Readonly<Record<string, string>>;

/** A fleet that is settled; plans by what changed are compared with whole ones. */
async function settled(first: Files = files, maxSelectionCost?: number) {
  const pairs: [unknown, unknown][] = [];
  const world = createPlanWorld(
    (change, whole) => pairs.push([comparable(change), comparable(whole)]),
    undefined,
    maxSelectionCost === undefined ? {} : { maxSelectionCost },
  );
  await world.push(first);
  await world.run();
  return {
    ...world,
    /** How many objects the last plan read, and its changes; undefined for a whole plan. */
    last: () => {
      for (const [change, whole] of pairs) expect(change).toEqual(whole);
      const changes = world.plans.at(-1)?.changes.map(({ kind, ref }) => `${kind} ${ref.name}`);
      return { visited: world.visits.at(-1), changes };
    },
  };
}

describe("a plan by what changed", () => {
  it.each<[string, Files, string[]]>([
    ["another label of a cluster", { "a.yaml": clusterOf("a", { labels: "{env: x}" }) }, ["update a"]],
    ["another setting of a cluster", { "a.yaml": clusterOf("a", { spec: "{paused: true}" }) }, ["update a"]],
    [
      "both clusters of one file",
      { "both.yaml": `${clusterOf("c", { labels: "{env: x}" })}---\n${clusterOf("d", { spec: "{paused: true}" })}` },
      ["update c", "update d"],
    ],
    ["a file that is not read", { "README.md": "# Fleet" }, []],
    ["a comment", { "a.yaml": `# A\n${clusterOf("a")}` }, []],
  ])("is made of %s", async (_what, changed, changes) => {
    const fleet = await settled({ ...files, "README.md": "# A fleet" });
    await fleet.push({ ...files, "README.md": "# A fleet", ...changed });
    expect(fleet.last()).toEqual({ visited: expect.any(Number) as unknown, changes });
    await fleet.push({ ...files, "README.md": "# A fleet" });
    expect(fleet.last().visited).toBeDefined();
  });

  it.each<[string, Files]>([
    ["another client ID", { "b.yaml": clusterOf("b", { spec: "{clientID: two}" }) }],
    ["another protocol", { "a.yaml": clusterOf("a", { spec: "{protocol: fleet}" }) }],
    ["a former name", { "a.yaml": clusterOf("a", { spec: "{previousName: z}" }) }],
    ["another name", { "a.yaml": clusterOf("z") }],
    ["one more document", { "a.yaml": `${clusterOf("a")}---\n${clusterOf("e")}` }],
    ["one document less", { "both.yaml": clusterOf("c") }],
    ["documents in another order", { "both.yaml": `${clusterOf("d")}---\n${clusterOf("c")}` }],
    ["a warning", { "a.yaml": clusterOf("a", { more: ", annotations: {rollcall.dev/unknown: x}" }) }],
    ["a label that is reserved", { "a.yaml": clusterOf("a", { labels: "{rollcall.dev/x: y}" }) }],
    ["an error", { "a.yaml": clusterOf("a", { spec: "{oops: 1}" }) }],
    ["another kind beside a cluster", { "a.yaml": `${clusterOf("a")}---\n${files["group.yaml"].replace("g,", "h,")}` }],
    ["a group", { "group.yaml": documentOf("ClusterGroup", "g", "{selector: {matchLabels: {env: y}}}") }],
    ["a token", { "token.yaml": documentOf("ClusterRegistrationToken", "t", "{ttl: 48h}") }],
    ["a new file", { "e.yaml": clusterOf("e") }],
  ])("is not made of %s", async (_what, changed) => {
    const fleet = await settled();
    await fleet.push({ ...files, ...changed });
    expect(fleet.last().visited).toBeUndefined();
  });

  it.each([
    ["Clusternet, which other files are compared with", clusterOf("a", { spec: "{protocol: clusternet}" })],
    ["Fleet, which is an object of its own", clusterOf("a").replace(header, "apiVersion: fleet.cattle.io/v1alpha1\n")],
  ])("is not made of a Cluster of %s", async (_what, text) => {
    const fleet = await settled({ ...files, "a.yaml": text });
    await fleet.push({ ...files, "a.yaml": text.replace("labels: {}", "labels: {env: x}") });
    expect(fleet.last().visited).toBeUndefined();
  });

  it("is not made where the commit approves removals, or one before it does", async () => {
    const fleet = await settled();
    fleet.commit(
      { ...files, "a.yaml": clusterOf("a", { labels: "{env: x}" }) },
      "Change\n\nRollcall-Allow-Deletions: 1\n",
    );
    await fleet.run();
    expect(fleet.last()).toEqual({ visited: undefined, changes: ["update a"] });
    await fleet.push({ ...files, "a.yaml": clusterOf("a", { labels: "{env: y}" }) });
    expect(fleet.last().changes).toEqual(["update a"]);
  });

  it("is not made with other settings of the Repository", async () => {
    const fleet = await settled();
    await fleet.run();
    expect(fleet.last().visited).toBe(0);
    const repository = fleet.hub.objects(resourceTypes.repository)[0] as unknown as Repository;
    fleet.hub.put({ ...repository, spec: { ...repository.spec, deletionBudget: { minimum: 2 } } });
    await fleet.run();
    expect(fleet.last().visited).toBeUndefined();
  });

  it("is not made of labels that make rules cost too much, and follows what they cost until then", async () => {
    // The group costs 2 for each cluster that it selects; three of four are the most here.
    const labelled = (names: readonly string[]): Files => ({
      ...files,
      ...Object.fromEntries(
        ["a", "b"].map((name) => [`${name}.yaml`, clusterOf(name, names.includes(name) ? { labels: "{env: x}" } : {})]),
      ),
      "both.yaml": ["c", "d"]
        .map((name) => clusterOf(name, names.includes(name) ? { labels: "{env: x}" } : {}))
        .join("---\n"),
    });
    const fleet = await settled(labelled(["a", "b"]), 6);
    for (const names of [
      ["a", "b", "c"],
      ["b", "c"],
      ["b", "c", "d"],
    ]) {
      await fleet.push(labelled(names));
      expect(fleet.last().visited).toBeDefined();
    }
    await fleet.push(labelled(["a", "b", "c", "d"]));
    expect(fleet.last()).toEqual({ visited: undefined, changes: [] });
    expect(fleet.plans.at(-1)?.problems.map(({ code }) => code)).toEqual(["E_REPOSITORY_TOO_LARGE"]);
  });

  it("is made of what a person changed on the hub", async () => {
    const fleet = await settled();
    const [live] = fleet.hub.objects(resourceTypes.cluster);
    if (live === undefined) throw new Error("there is no Cluster");
    const { metadata } = live;
    const edited = { ...live, metadata: { ...metadata, labels: { ...metadata.labels, env: "hand" } } };
    fleet.hub.put(edited);
    fleet.view.recordWritten(resourceTypes.cluster, {
      ...edited,
      metadata: { ...edited.metadata, resourceVersion: "1000" },
    });
    await fleet.run();
    expect(fleet.last()).toMatchObject({ visited: 1 });
  });

  it("reads the clusters whose former name a member state bears, and no other ConfigMap", async () => {
    const moved = { ...files, "a.yaml": clusterOf("a", { spec: "{previousName: old}" }) };
    const fleet = await settled(moved);
    const stateOf = (name: string, version: number) =>
      void fleet.view.recordWritten(resourceTypes.configMap, {
        ...{ apiVersion: "v1", kind: "ConfigMap", data: { memory: "{}" } },
        metadata: { name, namespace: "fleet", uid: name, resourceVersion: `${version}` },
      });
    stateOf("rollcall-cluster-old", 1000);
    await fleet.run();
    expect(fleet.last()).toEqual({ visited: 2, changes: [] });
    stateOf("rollcall-cluster-b", 1001);
    await fleet.run();
    expect(fleet.last()).toEqual({ visited: 1, changes: [] });
    stateOf("another", 1002);
    await fleet.run();
    expect(fleet.last()).toEqual({ visited: 0, changes: [] });
  });
});
