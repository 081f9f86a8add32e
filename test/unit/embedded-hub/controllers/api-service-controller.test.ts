import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt, textAt } from "../../../../src/core/read-json.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { until } from "../../../support/until.ts";
import type { HubWorld } from "./hub-world.ts";
import { namesOf, startHubWorld } from "./hub-world.ts";

const services = "apiservices";
const crds = "customresourcedefinitions";
const label = "kube-aggregator.kubernetes.io/automanaged";
const custom = { groupPriorityMinimum: 1000, versionPriority: 100 };

function crd(plural: string, versions: Readonly<Record<string, boolean>>): KubeObject {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.org` },
    spec: {
      group: "example.org",
      scope: "Cluster",
      names: { plural, kind },
      versions: Object.entries(versions).map(([name, served], index) => ({
        ...{ name, served, storage: index === 0 },
        schema: { openAPIV3Schema: { type: "object" } },
      })),
    },
  };
}

function service(name: string, managed: string | undefined, spec: JsonObject = custom): KubeObject {
  const [version = "", ...group] = name.split(".");
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name, uid: name, ...(managed === undefined ? {} : { labels: { [label]: managed } }) },
    spec: { group: group.join("."), version, ...spec },
  };
}

/** The APIServices of `example.org`. */
async function settled(world: HubWorld): Promise<string[]> {
  await world.settle();
  return namesOf(world.list(services)).filter((name) => name.endsWith(".example.org"));
}

async function removed(world: HubWorld, name: string): Promise<void> {
  await world.remove(crds, name);
  await until(
    () => Promise.resolve(world.get(crds, name)),
    (one) => one === undefined,
  );
}

const withSpec =
  (change: JsonObject) =>
  (one: KubeObject): KubeObject => ({ ...one, spec: { ...objectAt(one, "spec"), ...change } });

describe("the APIServices of a hub", () => {
  it("are those of the versions that it serves itself, but of its own group", async () => {
    const world = await startHubWorld();
    await world.settle();
    const served = builtInResources().map(({ group, version }) => `${version}.${group}`);
    const names = new Set(served.filter((name) => name !== "v1.apiregistration.k8s.io"));
    expect(namesOf(world.list(services))).toEqual([...names].sort());
    expect(world.get(services, "v1.")).toMatchObject({
      metadata: { labels: { [label]: "onstart" } },
      spec: { version: "v1", groupPriorityMinimum: 18_000, versionPriority: 1 },
      status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
    });
    const versions = ["v1.autoscaling", "v2.autoscaling"].map((name) => objectAt(world.get(services, name), "spec"));
    expect(versions).toMatchObject([{ versionPriority: 15 }, { versionPriority: 30 }]);
  });

  it("come and leave with the served versions of CustomResourceDefinitions", async () => {
    const world = await startHubWorld();
    await world.create(crd("things", { v1: true, v2: false }));
    expect(await settled(world)).toEqual(["v1.example.org"]);
    expect(world.get(services, "v1.example.org")).toMatchObject({
      metadata: { labels: { [label]: "true" } },
      spec: { group: "example.org", version: "v1", ...custom },
    });
    await world.create(crd("others", { v1: true, v3: true }));
    await settled(world);
    await world.change(
      crds,
      "things.example.org",
      withSpec(objectAt(crd("things", { v1: false, v2: true }), "spec") ?? {}),
    );
    expect(await settled(world)).toEqual(["v1.example.org", "v2.example.org", "v3.example.org"]);
    await removed(world, "others.example.org");
    expect(await settled(world)).toEqual(["v2.example.org"]);
    await removed(world, "things.example.org");
    expect(await settled(world)).toEqual([]);
  });

  it("of CustomResourceDefinitions are restored after a change or a deletion, those of the hub are not", async () => {
    const world = await startHubWorld();
    await world.create(crd("things", { v1: true }));
    await settled(world);
    for (const name of ["v1.example.org", "v1.apps"]) {
      await world.change(services, name, withSpec({ versionPriority: 7 }));
    }
    await world.settle();
    const priorities = ["v1.example.org", "v1.apps"].map((name) => objectAt(world.get(services, name), "spec"));
    expect(priorities).toMatchObject([{ versionPriority: 100 }, { versionPriority: 7 }]);
    await world.remove(services, "v1.example.org");
    await world.remove(services, "v1.apps");
    expect(await settled(world)).toEqual(["v1.example.org"]);
    expect(world.get(services, "v1.apps")).toBeUndefined();
  });

  it("are put right by the next start of the hub, and those that are right are not written", async () => {
    const right = { groupPriorityMinimum: 17_100, versionPriority: 15 };
    const left = [
      crd("things", { v1: true, v2: true }),
      service("v1.example.org", "true"),
      service("v2.example.org", undefined, { ...custom, versionPriority: 3 }),
      service("v3.example.org", "true"),
      service("v4.example.org", "onstart"),
      service("v5.example.org", undefined),
      service("v1.policy", "onstart", right),
      service("v1.batch", "onstart", { ...right, versionPriority: 3 }),
    ];
    const world = await startHubWorld(left);
    expect(await settled(world)).toEqual(["v1.example.org", "v2.example.org", "v5.example.org"]);
    const revisionOf = (name: string) => Number(textAt(world.get(services, name), "metadata", "resourceVersion"));
    const kept = ["v1.example.org", "v2.example.org", "v5.example.org", "v1.policy"];
    expect(kept.filter((name) => revisionOf(name) > left.length)).toEqual([]);
    expect(world.get(services, "v1.batch")).toMatchObject({
      spec: { groupPriorityMinimum: 17_400, versionPriority: 15 },
    });
  });

  it("of another maker stay, also with the label of those that a start of the hub makes", async () => {
    const world = await startHubWorld();
    for (const [name, managed] of Object.entries({ v1: undefined, v2: "onstart", v3: "true" })) {
      const { metadata, ...one } = service(`${name}.example.org`, managed);
      const { uid: _, ...given } = metadata;
      await world.create({ ...one, metadata: given });
    }
    expect(await settled(world)).toEqual(["v1.example.org", "v2.example.org"]);
  });

  it("are not written by a change of a CustomResourceDefinition that serves the same versions", async () => {
    const world = await startHubWorld();
    await world.create(crd("things", { v1: true }));
    await settled(world);
    const before = world.operations.revision();
    await world.change(crds, "things.example.org", (one) => ({
      ...one,
      metadata: { ...one.metadata, labels: { a: "b" } },
    }));
    await settled(world);
    expect(world.operations.revision()).toBe(before + 1);
  });
});
