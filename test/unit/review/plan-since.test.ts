import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelKeys } from "../../../src/model/well-known.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { comparable, createPlanWorld } from "./plan-world.ts";

const names = ["a", "b", "c", "d", "e", "f", "g", "h"];

interface File {
  readonly path: string;
  readonly clusters: readonly {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly more: string;
  }[];
  readonly isBroken?: boolean;
}

function render(file: File): string {
  if (file.isBroken === true) return "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: [\n";
  return file.clusters.map(({ name, labels, more }) => clusterText(name, labels, more)).join("---\n");
}

function clusterText(name: string, labels: Record<string, string>, more = ""): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster",
    `metadata: { name: ${name}, labels: ${JSON.stringify(labels)} }`,
    `spec: { displayName: "Cluster ${name}"${more} }\n`,
  ].join("\n");
}

function ruleText(name: string, region: string, tier: string): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterLabels",
    `metadata: { name: ${name} }`,
    `spec: { selector: { matchLabels: { region: ${region} } }, labels: { tier: ${tier} } }\n`,
  ].join("\n");
}

function groupText(name: string, region: string): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterGroup",
    `metadata: { name: ${name} }`,
    `spec: { selector: { matchLabels: { region: ${region} } } }\n`,
  ].join("\n");
}

const region = fc.constantFrom("r0", "r1", "r2");
const name = fc.constantFrom(...names);
const more = fc.constantFrom(
  "",
  ", paused: true",
  ", clientID: one",
  ", protocol: fleet",
  ", heartbeat: { periodSeconds: 7 }",
);
/** What one step does; those that a plan by the change can follow are the most. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("label" as const), name, region }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("spec" as const), name, more }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit" as const), name, region }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remember" as const), name, region }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("look" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("add" as const), name, region }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), name, other: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("move" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("break" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rule" as const), region, tier: fc.constantFrom("t0", "t1") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("group" as const), region }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unmanaged" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("deleted" as const), name }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What rules and groups cost at the start is 24; 40 at most. */
const limits = fc.constantFrom({}, { maxSelectionCost: 26 }, { maxSelectionCost: 30 });
type Limits = typeof limits extends fc.Arbitrary<infer T> ? T : never;

async function play(steps: readonly Step[], most: Limits): Promise<number> {
  const pairs: [unknown, unknown][] = [];
  const world = createPlanWorld(
    (change, whole) => pairs.push([comparable(change), comparable(whole)]),
    undefined,
    most,
  );
  const { view } = world;
  const files = new Map<string, File>(
    names.map((each, index) => [
      `clusters/${each}.yaml`,
      {
        path: `clusters/${each}.yaml`,
        clusters: [{ name: each, labels: { region: `r${index % 3}`, env: "x" }, more: "" }],
      },
    ]),
  );
  const others = new Map([
    ["rules/one.yaml", ruleText("one", "r0", "t0")],
    ["rules/two.yaml", ruleText("two", "r1", "t1")],
    ["groups/one.yaml", groupText("one", "r1")],
  ]);
  const push = (): Promise<void> =>
    world.push({
      ...Object.fromEntries([...files].map(([path, file]) => [path, render(file)])),
      ...Object.fromEntries(others),
    });
  const fileOf = (wanted: string): File | undefined =>
    [...files.values()].find(({ clusters }) => clusters.some((cluster) => cluster.name === wanted));
  const changeCluster = (wanted: string, labels: Record<string, string>, text?: string): void => {
    const file = fileOf(wanted);
    if (file === undefined) return;
    const clusters = file.clusters.map((cluster) =>
      cluster.name === wanted
        ? { ...cluster, labels: { ...cluster.labels, ...labels }, more: text ?? cluster.more }
        : cluster,
    );
    files.set(file.path, { path: file.path, clusters });
  };
  const live = (wanted: string) => view.get({ type: resourceTypes.cluster, namespace: "fleet", name: wanted });
  let version = 0;
  await push();
  await world.run();
  for (const each of steps) {
    version += 1;
    switch (each.do) {
      case "label":
        changeCluster(each.name, { region: each.region, env: `v${version}` });
        await push();
        break;
      case "spec":
        changeCluster(each.name, {}, each.more);
        await push();
        break;
      case "look":
        await world.run();
        break;
      case "edit":
      case "unmanaged": {
        const object = live(each.name);
        if (object === undefined) break;
        const labels =
          each.do === "edit"
            ? { ...object.metadata.labels, region: each.region }
            : { ...object.metadata.labels, [labelKeys.repository]: "somebody.else" };
        const edited = { ...object, metadata: { ...object.metadata, labels } };
        world.hub.put(edited);
        view.recordWritten(resourceTypes.cluster, {
          ...edited,
          metadata: { ...edited.metadata, resourceVersion: `${1_000_000 + version}` },
        });
        await world.run();
        break;
      }
      case "deleted": {
        const object = live(each.name);
        if (object === undefined) break;
        world.hub.remove(object);
        view.recordDeleted({ type: resourceTypes.cluster, namespace: "fleet", name: each.name });
        await world.run();
        break;
      }
      case "remember": {
        const memory = { labels: { token: { region: each.region, zone: each.region } } };
        const data = { memory: JSON.stringify(memory) };
        const metadata = {
          ...{ name: `rollcall-cluster-${each.name}`, namespace: "fleet", uid: `state-${each.name}` },
          resourceVersion: `${1_000_000 + version}`,
        };
        view.recordWritten(resourceTypes.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
        await world.run();
        break;
      }
      case "remove": {
        const file = fileOf(each.name);
        if (file) files.delete(file.path);
        await push();
        break;
      }
      case "add": {
        const path = `clusters/${each.name}-${version}.yaml`;
        files.set(path, { path, clusters: [{ name: each.name, labels: { region: each.region }, more: "" }] });
        await push();
        break;
      }
      case "rename": {
        const file = fileOf(each.name);
        if (file) files.set(file.path, { path: file.path, clusters: [{ name: each.other, labels: {}, more: "" }] });
        await push();
        break;
      }
      case "move": {
        const file = fileOf(each.name);
        if (file) {
          files.delete(file.path);
          const path = `moved/${version}.yaml`;
          files.set(path, { ...file, path });
        }
        await push();
        break;
      }
      case "break": {
        const file = fileOf(each.name);
        if (file) files.set(file.path, { ...file, isBroken: file.isBroken !== true });
        await push();
        break;
      }
      case "rule":
        others.set("rules/one.yaml", ruleText("one", each.region, each.tier));
        await push();
        break;
      case "group":
        others.set("groups/one.yaml", groupText("one", each.region));
        await push();
        break;
    }
  }
  for (const [change, whole] of pairs) expect(change).toEqual(whole);
  return pairs.length;
}

describe("planSince", () => {
  it("makes the plan that a full reconcile makes, over any edits of files and of the hub", async () => {
    let byChange = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), limits, async (steps, most) => {
        byChange += await play(steps, most);
      }),
      { numRuns: 40 },
    );
    expect(byChange).toBeGreaterThan(50);
  });
});
