import { describe, expect, it } from "vitest";
import type { DeleteBody, Deleted } from "../../../../src/embedded-hub/operations/operations.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, configMap, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

function remove(
  { operations }: HubWorld,
  { kind, metadata: { name } }: KubeObject,
  options: DeleteBody & { readonly isDryRun?: boolean } = {},
): Promise<Deleted> {
  const { isDryRun = false, ...body } = options;
  const definition = operations.definitionOfKind("v1", kind);
  if (definition === undefined) throw new Error(`${kind} is not served`);
  return operations.delete({ ...contextOf(administrator), isDryRun }, { definition, namespace: "shop", name }, body);
}

const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "shop", annotations: {} },
  spec: { containers: [{ name: "main", image: "shop:1" }] },
};
const marks = { generation: 2, deletionTimestamp: expect.any(String) as string, deletionGracePeriodSeconds: 0 };

/** What a watch reports of Pods from now on. */
function watchPods({ operations }: HubWorld): string[] {
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw new Error("Pods are not served");
  const told: string[] = [];
  const afterRevision = operations.revision();
  operations.watch(definition, { afterRevision }, ({ type, served: { object } }) => {
    const { generation, deletionGracePeriodSeconds } = object.metadata;
    told.push([type, generation, deletionGracePeriodSeconds].join(" "));
  });
  return told;
}

describe("the delete of a Pod without a grace period", () => {
  it("marks it before it removes it, so that answers and watches show a Pod that is being deleted", async () => {
    const world = await startHubWorld();
    await world.create(pod);
    const told = watchPods(world);
    const { object, isGone } = await remove(world, pod);
    expect(isGone).toBe(true);
    expect(object.metadata).toMatchObject(marks);
    expect(told).toEqual(["MODIFIED 2 0", "DELETED 2 0"]);
    expect(world.get("pods", "p")).toBeUndefined();
  });

  it("shows the marks in a dry run, and writes nothing", async () => {
    const world = await startHubWorld();
    const made = await world.create(pod);
    const { object, isGone } = await remove(world, pod, { isDryRun: true });
    expect(isGone).toBe(true);
    expect(object.metadata).toMatchObject(marks);
    expect(world.get("pods", "p")).toEqual(made);
  });

  it("is one delete when two come together, or when it names a version", async () => {
    const world = await startHubWorld();
    await world.create(pod);
    const both = await Promise.allSettled([remove(world, pod), remove(world, pod)]);
    expect(both.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    expect(world.get("pods", "p")).toBeUndefined();
    const { resourceVersion = "" } = (await world.create(pod)).metadata;
    expect((await remove(world, pod, { preconditions: { resourceVersion } })).isGone).toBe(true);
  });
});

describe("a delete of a priority class of the system", () => {
  const name = "system-node-critical";

  it("is refused by its name, as kube-apiserver does: Pods that name it are refused without it", async () => {
    const { operations } = await startHubWorld();
    const definition = operations.definitionOf("scheduling.k8s.io", "priorityclasses");
    if (definition === undefined) throw new Error("PriorityClasses are not served");
    const refused = operations.delete(contextOf(administrator), { definition, name }, {});
    expect(await refusalOf(refused)).toBe(
      `priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`,
    );
    expect(operations.get({ definition, name })).toBeDefined();
  });

  it("is not refused as one of a collection", async () => {
    const { operations } = await startHubWorld();
    const definition = operations.definitionOf("scheduling.k8s.io", "priorityclasses");
    if (definition === undefined) throw new Error("PriorityClasses are not served");
    await operations.deleteCollection(contextOf(administrator), { definition }, { query: {}, options: {} });
    expect(operations.get({ definition, name })).toBeUndefined();
  });
});

describe("a delete that asks for the finalizers which the object has", () => {
  it("leaves them in their order and writes nothing", async () => {
    const world = await startHubWorld();
    const held = configMap("held", { finalizers: ["orphan", "example.org/hold"] });
    await world.create(held);
    const definition = world.operations.definitionOf("", "configmaps");
    if (definition === undefined) throw new Error("ConfigMaps are not served");
    const dryRun = await remove(world, held, { propagationPolicy: "Orphan", isDryRun: true });
    expect(dryRun.object.metadata.finalizers).toEqual(["orphan", "example.org/hold"]);
  });
});
