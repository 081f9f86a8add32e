import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "./hub-world.ts";
import { startHubWorld } from "./hub-world.ts";
import { podTemplate, rollOut, statusOf } from "./workloads.ts";

function replicationController(spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name: "web", namespace: "shop" },
    spec: { replicas: 2, selector: { app: "web" }, template: podTemplate("web:1"), ...spec },
  };
}

const ownersOf = (world: HubWorld) => world.list("pods").map(({ metadata }) => metadata.ownerReferences);

describe("a ReplicationController", () => {
  it("makes as many Pods as it asks for, counts them, and follows another number", async () => {
    const world = await startHubWorld();
    const { metadata } = await world.create(replicationController());
    await rollOut(world);
    const owner = { apiVersion: "v1", kind: "ReplicationController", name: "web", uid: metadata.uid };
    const reference = { ...owner, controller: true, blockOwnerDeletion: true };
    expect(ownersOf(world)).toEqual([[reference], [reference]]);
    const counted = { replicas: 2, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 2 };
    expect(statusOf(world.get("replicationcontrollers", "web"))).toEqual({ ...counted, observedGeneration: 1 });
    const one = (object: KubeObject): KubeObject => ({
      ...object,
      spec: { ...(object["spec"] as object), replicas: 1 },
    });
    await world.change("replicationcontrollers", "web", one);
    await rollOut(world);
    expect(world.list("pods").filter((pod) => pod.metadata.deletionTimestamp === undefined)).toHaveLength(1);
  });

  it("adopts a Pod that fits its labels, and releases one that fits no more", async () => {
    const world = await startHubWorld();
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "stray", namespace: "shop", labels: { app: "web" } },
    };
    await world.create({ ...pod, spec: { containers: [{ name: "main", image: "none" }] } });
    await world.create(replicationController({ replicas: 1 }));
    await world.settle();
    expect(world.list("pods").map(({ metadata }) => metadata.name)).toEqual(["stray"]);
    expect(ownersOf(world)[0]?.[0]).toMatchObject({ kind: "ReplicationController", controller: true });
    await world.change("pods", "stray", (one) => ({ ...one, metadata: { ...one.metadata, labels: { app: "other" } } }));
    await world.settle();
    expect(world.get("pods", "stray")?.metadata.ownerReferences).toBeUndefined();
    expect(world.list("pods")).toHaveLength(2);
  });

  it("leaves its Pods when it is deleted, unless it is deleted in the background", async () => {
    const world = await startHubWorld();
    await world.create(replicationController());
    await world.settle();
    await world.remove("replicationcontrollers", "web");
    await world.settle();
    expect(ownersOf(world)).toEqual([undefined, undefined]);
    await world.create(replicationController());
    await world.settle();
    expect(world.list("pods")).toHaveLength(2);
    await world.remove("replicationcontrollers", "web", { propagationPolicy: "Background" });
    await world.settle();
    expect(world.list("pods").filter((pod) => pod.metadata.deletionTimestamp === undefined)).toEqual([]);
  });

  it("reports why it makes no Pod, as long as a quota has no room for one", async () => {
    const world = await startHubWorld();
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "small", namespace: "shop" } };
    await world.create({ ...quota, spec: { hard: { pods: "1", replicationcontrollers: "1" } } });
    await world.settle();
    await world.create(replicationController());
    await expect
      .poll(() => statusOf(world.get("replicationcontrollers", "web"))["conditions"])
      .toMatchObject([
        {
          type: "ReplicaFailure",
          status: "True",
          reason: "FailedCreate",
          message: expect.stringContaining("exceeded quota") as unknown,
        },
      ]);
    const used = () => (statusOf(world.get("resourcequotas", "small"))["used"] ?? {}) as Record<string, string>;
    await expect.poll(used).toEqual({ pods: "1", replicationcontrollers: "1" });
  });
});
