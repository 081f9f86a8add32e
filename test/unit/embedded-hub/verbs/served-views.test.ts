import { expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";
import { startMemoryHub } from "./memory-hub.ts";

const text = { type: "string" };

function crdWith(properties: object, isSecondStored = false): KubeObject {
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  const versions = ["v1", "v2"].map((name) => {
    return { name, served: true, storage: (name === "v2") === isSecondStored, schema };
  });
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "things.example.org" },
    spec: { group: "example.org", scope: "Namespaced", names, versions },
  };
}

it("objects that were stored before their kind changed are shown as it has them now, until they are written", async () => {
  const hub = await startMemoryHub([crdWith({ a: text, b: text })]);
  const context = { ...contextOf(administrator), isUntracked: true };
  const thing = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "t" }, spec: { a: "1", b: "2" } };
  const target = (version = "v1") => {
    return { definition: hub.definitionOf(`example.org/${version}`, "Thing"), namespace: "shop", name: "t" };
  };
  const specOf = (version?: string) => hub.operations.get(target(version))?.["spec"];
  const first = await hub.operations.create(context, target(), thing);
  expect(hub.operations.get(target())).toBe(hub.operations.get(target()));
  hub.serve(crdWith({ a: text, c: { ...text, default: "new" } }));
  expect([specOf(), specOf("v2")]).toEqual([
    { a: "1", c: "new" },
    { a: "1", c: "new" },
  ]);
  expect(hub.operations.get(target())).toBe(hub.operations.get(target()));
  expect(hub.operations.readServed(target())?.json.toString()).toContain('"spec":{"a":"1","c":"new"}');
  const rewrite = async (): Promise<string | undefined> =>
    (await hub.operations.patch(context, target(), { kind: "merge", patch: {} })).metadata.resourceVersion;
  const second = await rewrite();
  expect(second).not.toBe(first.metadata.resourceVersion);
  expect(await rewrite()).toBe(second);
  hub.serve(crdWith({ a: text, c: text }, true));
  expect(hub.operations.get(target("v2"))?.apiVersion).toBe("example.org/v2");
  const third = await rewrite();
  expect([third === second, await rewrite()]).toEqual([false, third]);
  expect(hub.operations.list({ definition: target("v2").definition }).items.map(({ spec }) => spec)).toEqual([
    specOf(),
  ]);
});

it("an Event is one object in both of its groups", async () => {
  const { operations, definitionOf } = await startMemoryHub();
  const about = { kind: "Pod", namespace: "shop", name: "p" };
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e" },
    involvedObject: about,
    reason: "R",
    message: "m",
  };
  const place = { namespace: "shop", name: "e" };
  const core = { definition: definitionOf("v1", "Event"), ...place };
  const other = { definition: definitionOf("events.k8s.io/v1", "Event"), ...place };
  const context = { ...contextOf(administrator), isUntracked: true };
  const { resourceVersion } = (await operations.create(context, core, event)).metadata;
  expect(operations.get(core)).toMatchObject({ apiVersion: "v1", involvedObject: about, message: "m" });
  expect(operations.get(other)).toMatchObject({ apiVersion: "events.k8s.io/v1", regarding: about, note: "m" });
  expect(operations.get(other)).not.toHaveProperty("message");
  const written = await operations.patch(context, other, { kind: "merge", patch: {} });
  expect(written.metadata.resourceVersion).toBe(resourceVersion);
});
