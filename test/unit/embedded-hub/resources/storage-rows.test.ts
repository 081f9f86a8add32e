import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import { storageRows } from "../../../../src/embedded-hub/resources/storage-rows.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

function made(kind: string, content: JsonObject): KubeObject {
  return { apiVersion: "storage.k8s.io/v1", kind, metadata: { name: "a" }, ...content };
}

it("a CSIDriver has a generation from its first change on, and no period of updates", async () => {
  const world = await startHubWorld();
  const write = (spec: JsonObject, labels = {}) =>
    world.change("csidrivers", "a", (one) => ({
      ...one,
      metadata: { ...one.metadata, labels },
      spec: { ...objectAt(one, "spec"), ...spec },
    }));
  const period = { nodeAllocatableUpdatePeriodSeconds: 20 };
  await world.create(made("CSIDriver", { spec: period }));
  const first = world.get("csidrivers", "a");
  expect(first?.metadata.generation).toBeUndefined();
  expect(first).toMatchObject({ spec: { attachRequired: true, volumeLifecycleModes: ["Persistent"] } });
  expect(first?.["spec"]).not.toHaveProperty("nodeAllocatableUpdatePeriodSeconds");
  expect((await write({}, { a: "b" })).metadata.generation).toBeUndefined();
  expect((await write(period)).metadata.generation).toBeUndefined();
  expect((await write({ podInfoOnMount: true, ...period })).metadata.generation).toBe(1);
  const changed = await write({ podInfoOnMount: false });
  expect(changed.metadata.generation).toBe(2);
  expect(changed["spec"]).not.toHaveProperty("nodeAllocatableUpdatePeriodSeconds");
});

it.each([
  { plural: "csidrivers", object: made("CSIDriver", { spec: {} }) },
  {
    plural: "volumeattachments",
    object: made("VolumeAttachment", {
      spec: { attacher: "a.io", nodeName: "n", source: { persistentVolumeName: "v" } },
    }),
  },
  {
    plural: "csistoragecapacities",
    object: { ...made("CSIStorageCapacity", { storageClassName: "a" }), metadata: { name: "a", namespace: "shop" } },
  },
])("$plural take no write without the version that it is a change of", async ({ plural, object }) => {
  const world = await startHubWorld();
  await world.create(object);
  expect(await refusalOf(world.change(plural, "a", () => object))).toContain("must be specified for an update");
});

it("the status of a VolumeAttachment is written alone, and its errors have no codes", async () => {
  const world = await startHubWorld();
  const spec = { attacher: "a.io", nodeName: "n", source: { persistentVolumeName: "v" } };
  await world.create(made("VolumeAttachment", { spec, status: { attached: true } }));
  expect(world.get("volumeattachments", "a")?.["status"]).toEqual({ attached: false });
  const error = { time: "2026-01-02T03:04:05Z", message: "m" };
  const { metadata, ...rest } = await world.change(
    "volumeattachments",
    "a",
    (one) => ({
      ...one,
      metadata: { ...one.metadata, labels: { a: "b" } },
      spec: { ...spec, nodeName: "m" },
      status: { attached: true, attachError: { ...error, errorCode: 5 }, detachError: error },
    }),
    { subresource: "status" },
  );
  expect(rest).toMatchObject({ spec, status: { attached: true, attachError: error, detachError: error } });
  expect(objectAt(rest, "status", "attachError")).toEqual(error);
  expect(metadata.labels).toBeUndefined();
  const fields = metadata.managedFields?.find(({ subresource }) => subresource === "status")?.fieldsV1;
  expect(Object.keys(fields ?? {})).toEqual(["f:status"]);
});

it("a StorageClass has the policies that it does not choose, and a warning of an old label of Nodes", async () => {
  const { operations } = await startHubWorld();
  const create = async (plural: string, object: KubeObject, namespace?: string) => {
    const definition = operations.definitionOf("storage.k8s.io", plural);
    if (definition === undefined) throw new Error(`${plural} are not served`);
    const context = contextOf(administrator);
    const target = { definition, ...(namespace === undefined ? {} : { namespace }) };
    return { object: await operations.create(context, target, object), warnings: context.warnings };
  };
  const key = "failure-domain.beta.kubernetes.io/zone";
  const warning = expect.stringContaining('use "topology.kubernetes.io/zone" instead') as string;
  const allowedTopologies = [{ matchLabelExpressions: [{ key, values: ["a"] }] }];
  const one = await create("storageclasses", made("StorageClass", { provisioner: "a.io", allowedTopologies }));
  expect(one.object).toMatchObject({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });
  expect(one.warnings).toEqual([warning]);
  const capacity = made("CSIStorageCapacity", { storageClassName: "a", nodeTopology: { matchLabels: { [key]: "a" } } });
  expect((await create("csistoragecapacities", capacity, "shop")).warnings).toEqual([warning]);
});

it("kinds of storage have the short names of kube-apiserver, and those without a namespace return what they delete", () => {
  expect(storageRows.flatMap(({ kind, shortNames = [] }) => shortNames.map((name) => `${kind} ${name}`))).toEqual([
    "StorageClass sc",
  ]);
  const returned = storageRows.filter(({ hooks }) => hooks?.returnsDeletedObject === true);
  expect(returned).toEqual(storageRows.filter(({ isClusterScoped }) => isClusterScoped === true));
});
