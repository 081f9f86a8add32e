import { describe, expect, it } from "vitest";
import type { HubWorld } from "./hub-world.ts";
import { namesOf, startHubWorld } from "./hub-world.ts";

async function addPod(world: HubWorld, name: string, nodeName?: string): Promise<void> {
  const spec = { ...(nodeName === undefined ? {} : { nodeName }), containers: [{ name: "main", image: "none" }] };
  await world.create({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop" }, spec });
  await world.settle();
}

const addNode = (world: HubWorld) => world.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });

async function pass(world: HubWorld, ms: number): Promise<void> {
  await world.clock.advance(ms);
  await world.settle();
}

describe("a Pod bound to a missing Node", () => {
  it("is deleted after 40 s; others are not", async () => {
    const world = await startHubWorld();
    await addNode(world);
    await addPod(world, "lost", "none");
    await addPod(world, "bound", "n");
    await addPod(world, "free");
    await pass(world, 39_000);
    expect(namesOf(world.list("pods"))).toEqual(["bound", "free", "lost"]);
    await pass(world, 2000);
    expect(namesOf(world.list("pods"))).toEqual(["bound", "free"]);
  });

  it("is marked as failed, as its finalizer shows", async () => {
    const world = await startHubWorld();
    await addPod(world, "lost", "none");
    const hold = ["example.org/hold"];
    await world.change("pods", "lost", (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: hold } }));
    await pass(world, 41_000);
    const condition = { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC" };
    expect(world.get("pods", "lost")).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0 },
      status: { phase: "Failed", conditions: [condition] },
    });
  });

  it("stays when the Node registers again in time", async () => {
    const world = await startHubWorld();
    await addNode(world);
    await addPod(world, "bound", "n");
    await world.remove("nodes", "n");
    await pass(world, 39_000);
    await addNode(world);
    await pass(world, 3_600_000);
    expect(namesOf(world.list("pods"))).toEqual(["bound"]);
    await world.remove("nodes", "n");
    await pass(world, 39_000);
    expect(namesOf(world.list("pods"))).toEqual(["bound"]);
    await pass(world, 2000);
    expect(namesOf(world.list("pods"))).toEqual([]);
  });
});

describe("a Pod whose delete broke off with the hub, after its marks were written", () => {
  it("is deleted at the next start, unless it has a Node or a finalizer", async () => {
    const left = (name: string, nodeName: string, finalizers: string[] = []) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace: "shop",
        uid: name,
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 0,
        finalizers,
      },
      spec: { containers: [{ name: "main", image: "none" }], ...(nodeName === "" ? {} : { nodeName }) },
    });
    const world = await startHubWorld([left("free", ""), left("bound", "n"), left("held", "", ["example.org/hold"])]);
    await world.settle();
    expect(namesOf(world.list("pods"))).toEqual(["bound", "held"]);
  });
});

describe("a deleted Pod that was never on a Node", () => {
  it("has failed 20 s later, while a finalizer keeps it", async () => {
    const world = await startHubWorld();
    await addPod(world, "held");
    const hold = ["example.org/hold"];
    await world.change("pods", "held", (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: hold } }));
    await world.remove("pods", "held");
    await pass(world, 18_000);
    expect(world.get("pods", "held")).toMatchObject({ status: { phase: "Pending" } });
    await pass(world, 3000);
    const held = world.get("pods", "held");
    expect(held).toMatchObject({ metadata: { finalizers: hold }, status: { phase: "Failed" } });
    expect(held?.["status"]).not.toHaveProperty("conditions");
    await pass(world, 3_600_000);
    expect(world.get("pods", "held")?.metadata.resourceVersion).toBe(held?.metadata.resourceVersion);
  });
});
