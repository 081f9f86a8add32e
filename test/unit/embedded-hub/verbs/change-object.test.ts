import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { until } from "../../../support/until.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, contextOf, startHubWorld } from "../controllers/hub-world.ts";

const version = (name: string, storage: boolean, properties: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
});
const text = { type: "string" };

function crd(versions: readonly object[]): KubeObject {
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.org" },
    spec: { group: "example.org", scope: "Namespaced", names, versions },
  };
}

async function declare(world: HubWorld, versions: readonly object[]): Promise<void> {
  const exists = world.get("customresourcedefinitions", "things.example.org") !== undefined;
  if (!exists) await world.create(crd(versions));
  else {
    await world.change("customresourcedefinitions", "things.example.org", (live) => ({
      ...live,
      spec: crd(versions)["spec"],
    }));
  }
  const look = () => Promise.resolve(world.operations.definitionOf("example.org", "things"));
  await until(look, (definition) => definition?.storage.apiVersion === storageOf(versions));
}

function storageOf(versions: readonly object[]): string {
  const stored = versions.find((one) => (one as { storage: boolean }).storage) as { name: string };
  return `example.org/${stored.name}`;
}

/** Writes a thing as it is. */
async function rewrite({ operations }: HubWorld): Promise<string | undefined> {
  const definition = operations.definitionOf("example.org", "things");
  if (definition === undefined) throw new Error("things are not served");
  const target = { definition, namespace: "shop", name: "a" };
  const live = operations.get(target);
  if (live === undefined) throw new Error("the thing is not there");
  return (await operations.update(contextOf(administrator), target, live)).metadata.resourceVersion;
}

it("an unchanged object is written anew once its kind is stored in another version or form: so migrations work", async () => {
  const world = await startHubWorld();
  await declare(world, [version("v1", true, { a: text }), version("v2", false, { a: text })]);
  const metadata = { name: "a", namespace: "shop" };
  const made = await world.create({ apiVersion: "example.org/v1", kind: "Thing", metadata, spec: { a: "1" } });
  const first = made.metadata.resourceVersion;
  expect(await rewrite(world)).toBe(first);
  await declare(world, [version("v1", false, { a: text }), version("v2", true, { a: text })]);
  const second = await rewrite(world);
  expect(second).not.toBe(first);
  expect(await rewrite(world)).toBe(second);
  const more = { a: text, b: { ...text, default: "new" } };
  await declare(world, [version("v1", false, more), version("v2", true, more)]);
  const third = await rewrite(world);
  expect(third).not.toBe(second);
  expect(await rewrite(world)).toBe(third);
});

describe("writers that find no object at the same moment", () => {
  it("create one by their applies, with what each of them declares", async () => {
    const world = await startHubWorld();
    const definition = world.operations.definitionOf("", "configmaps");
    if (definition === undefined) throw new Error("ConfigMaps are not served");
    const target = { definition, namespace: "shop", name: "a" };
    const keys = ["one", "two", "three"];
    await Promise.all(
      keys.map((key) => {
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { [key]: "1" } };
        const context = { ...contextOf(administrator), fieldManager: key };
        return world.operations.patch(context, target, { kind: "apply", object, isForced: false });
      }),
    );
    expect(world.operations.get(target)?.["data"]).toEqual({ one: "1", two: "1", three: "1" });
  });
});
