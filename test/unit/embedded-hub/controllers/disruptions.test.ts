import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { evictPod } from "../../../../src/embedded-hub/reviews/evict-pod.ts";
import type { HubWorld } from "./hub-world.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "./hub-world.ts";
import { statusOf } from "./workloads.ts";

const noRoom = "Cannot evict pod as it would violate the pod's disruption budget.";

async function startShop(spec: JsonObject): Promise<HubWorld> {
  const world = await startHubWorld();
  await world.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  for (const name of ["a", "b", "c"]) {
    const metadata = { name, namespace: "shop", labels: { app: "web" }, finalizers: ["example.org/hold"] };
    const containers = [{ name: "main", image: "none" }];
    await world.create({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "n", containers } });
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    const status: JsonObject = { phase: "Running", conditions };
    await world.change("pods", name, (pod) => ({ ...pod, status }), { subresource: "status" });
  }
  const selector = { matchLabels: { app: "web" } };
  const metadata = { name: "web", namespace: "shop" };
  await world.create({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { selector, ...spec } });
  await world.settle();
  return world;
}

function evict(world: HubWorld, name: string, deleteOptions: JsonObject = {}): Promise<unknown> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, deleteOptions };
  const request = { place: { namespace: "shop", name }, eviction, nowMs: world.clock.nowMs() };
  return evictPod(world.operations, contextOf(administrator), request);
}

const budgetOf = (world: HubWorld) => statusOf(world.get("poddisruptionbudgets", "web"));

describe("a PodDisruptionBudget", () => {
  it("lets as many Pods be evicted as it has room for, also before its status follows", async () => {
    const world = await startShop({ minAvailable: 2 });
    expect(budgetOf(world)).toMatchObject({ currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
    const results = await Promise.all(["a", "b", "c"].map((name) => refusalOf(evict(world, name))));
    expect(results.filter((refusal) => refusal === undefined)).toHaveLength(1);
    expect(results.filter((refusal) => refusal === noRoom)).toHaveLength(2);
    await world.settle();
    expect(budgetOf(world)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
    expect(budgetOf(world)).not.toHaveProperty("disruptedPods");
  });

  it("decides again for a Pod that was not ready when it was read, and is what the budget needs when it is deleted", async () => {
    const world = await startShop({ minAvailable: 2 });
    const setReady = async (name: string, status: "True" | "False"): Promise<void> => {
      const conditions = [{ type: "Ready", status, lastTransitionTime: "2026-01-01T00:00:00Z" }];
      await world.change("pods", name, (pod) => ({ ...pod, status: { phase: "Running", conditions } }), {
        subresource: "status",
      });
      await world.settle();
    };
    await setReady("c", "False");
    let isChanged = false;
    const racing: HubWorld = {
      ...world,
      operations: {
        ...world.operations,
        update: async (...request) => {
          if (!isChanged) {
            isChanged = true;
            await setReady("c", "True");
            await setReady("a", "False");
          }
          return world.operations.update(...request);
        },
      },
    };
    expect(await refusalOf(evict(racing, "c"))).toBe(noRoom);
    expect(world.get("pods", "c")?.metadata.deletionTimestamp).toBeUndefined();
    expect(await refusalOf(evict(world, "a"))).toBeUndefined();
  });

  it("leaves the Pod and the budget as they are in a dry run, also one that the eviction itself asks for", async () => {
    const world = await startShop({ minAvailable: 1 });
    const before = { pod: world.get("pods", "a"), budget: budgetOf(world) };
    await evict(world, "a", { dryRun: ["All"] });
    await world.settle();
    expect({ pod: world.get("pods", "a"), budget: budgetOf(world) }).toEqual(before);
  });

  it("counts an evicted Pod as healthy again when it was not deleted for two minutes", async () => {
    const world = await startShop({ minAvailable: 2 });
    const disruptedPods = { b: new Date(world.clock.nowMs()).toISOString().replace(/\.\d+/u, "") };
    const at = { subresource: "status" };
    await world.change(
      "poddisruptionbudgets",
      "web",
      (one) => ({ ...one, status: { ...statusOf(one), disruptedPods } }),
      at,
    );
    await world.settle();
    expect(budgetOf(world)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0, disruptedPods });
    await world.clock.advance(121_000);
    await world.settle();
    expect(budgetOf(world)).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
    expect(budgetOf(world)).not.toHaveProperty("disruptedPods");
  });

  it("allows nothing for Pods without a controller when it counts from what their controllers ask for", async () => {
    const world = await startShop({ maxUnavailable: "50%" });
    expect(budgetOf(world)).toMatchObject({ expectedPods: 0, currentHealthy: 3, disruptionsAllowed: 0 });
    expect(await refusalOf(evict(world, "a"))).toBe(noRoom);
  });

  it("is written once for one state", async () => {
    const world = await startShop({ minAvailable: 1 });
    const before = world.operations.revision();
    await world.change("pods", "a", (pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: { x: "y" } } }));
    await world.settle();
    expect(world.operations.revision()).toBe(before + 1);
  });
});
