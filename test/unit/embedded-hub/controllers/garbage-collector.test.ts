import { describe, expect, it } from "vitest";
import { configMap, namesOf, ownedBy, startHubWorld } from "./hub-world.ts";
import type { HubWorld } from "./hub-world.ts";

/** owner <- child <- grandchild, and what else a test adds. */
async function family(): Promise<HubWorld> {
  const world = await startHubWorld();
  await world.remove("configmaps", "kube-root-ca.crt");
  await world.settle();
  const owner = await world.create(configMap("owner"));
  const child = await world.create(
    configMap("child", { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] }),
  );
  await world.create(configMap("grandchild", { ownerReferences: [ownedBy(child, { blockOwnerDeletion: true })] }));
  await world.settle();
  return world;
}

const left = (world: HubWorld) => namesOf(world.list("configmaps")).filter((name) => name !== "kube-root-ca.crt");

describe("the garbage collector", () => {
  it("deletes what has no owner any more, in the background", async () => {
    const world = await family();
    expect(left(world)).toEqual(["child", "grandchild", "owner"]);
    await world.remove("configmaps", "owner");
    await world.settle();
    expect(left(world)).toEqual([]);
  });

  it("keeps an owner that is deleted in the foreground until its dependents are deleted", async () => {
    const world = await family();
    await world.change("configmaps", "grandchild", (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ["example.com/hold"] },
    }));
    await world.remove("configmaps", "owner", { propagationPolicy: "Foreground" });
    await world.settle();
    expect(left(world)).toEqual(["child", "grandchild", "owner"]);
    expect(world.get("configmaps", "owner")?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await world.change("configmaps", "grandchild", (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: [] },
    }));
    await world.settle();
    expect(left(world)).toEqual([]);
  });

  it("does not keep an owner for a dependent that does not block", async () => {
    const world = await startHubWorld();
    const owner = await world.create(configMap("owner"));
    const metadata = { ownerReferences: [ownedBy(owner)], finalizers: ["example.com/hold"] };
    await world.create(configMap("child", metadata));
    await world.remove("configmaps", "owner", { propagationPolicy: "Foreground" });
    await world.settle();
    expect(world.get("configmaps", "owner")).toBeUndefined();
    expect(world.get("configmaps", "child")?.metadata.deletionTimestamp).toBeDefined();
  });

  it("cuts dependents loose when they are to be orphaned", async () => {
    const world = await family();
    await world.remove("configmaps", "owner", { propagationPolicy: "Orphan" });
    await world.settle();
    expect(left(world)).toEqual(["child", "grandchild"]);
    expect(world.get("configmaps", "child")?.metadata.ownerReferences).toBeUndefined();
  });

  it("takes away only the references that lead nowhere while one owner is left", async () => {
    const world = await startHubWorld();
    const [first, second] = [await world.create(configMap("first")), await world.create(configMap("second"))];
    await world.create(configMap("child", { ownerReferences: [ownedBy(first), ownedBy(second)] }));
    await world.remove("configmaps", "first");
    await world.settle();
    expect(world.get("configmaps", "child")?.metadata.ownerReferences).toEqual([ownedBy(second)]);
  });

  it("counts an owner by its uid, not by its name", async () => {
    const world = await startHubWorld();
    const owner = await world.create(configMap("owner"));
    await world.create(configMap("stranger", { ownerReferences: [{ ...ownedBy(owner), uid: "another" }] }));
    await world.settle();
    expect(world.get("configmaps", "stranger")).toBeUndefined();
  });

  it("finds an owner in the dependent's own namespace", async () => {
    const world = await startHubWorld();
    const owner = await world.create({ ...configMap("owner"), metadata: { name: "owner", namespace: "default" } });
    await world.create(configMap("child", { ownerReferences: [ownedBy(owner)] }));
    await world.settle();
    expect(world.get("configmaps", "child")).toBeUndefined();
  });

  it("knows owners without a namespace", async () => {
    const world = await startHubWorld();
    const role = await world.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "owner" },
      rules: [],
    });
    await world.create(configMap("child", { ownerReferences: [ownedBy(role)] }));
    await world.settle();
    expect(world.get("configmaps", "child")).toBeDefined();
    await world.remove("clusterroles", "owner");
    await world.settle();
    expect(world.get("configmaps", "child")).toBeUndefined();
  });

  it("keeps what it cannot evaluate: unknown kinds, and a namespaced owner of a cluster-scoped object", async () => {
    const world = await startHubWorld();
    const unknown = { apiVersion: "example.com/v1", kind: "Nothing", name: "n", uid: "u" };
    await world.create(configMap("child", { ownerReferences: [unknown] }));
    const owner = await world.create(configMap("owner"));
    await world.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "child", ownerReferences: [{ ...ownedBy(owner), uid: "gone" }] },
      rules: [],
    });
    await world.settle();
    expect(world.get("configmaps", "child")).toBeDefined();
    expect(world.get("clusterroles", "child")).toBeDefined();
  });

  it("ends two that own each other when one is deleted in the foreground", async () => {
    const world = await startHubWorld();
    const first = await world.create(configMap("first"));
    const blocking = { blockOwnerDeletion: true };
    const second = await world.create(configMap("second", { ownerReferences: [ownedBy(first, blocking)] }));
    await world.change("configmaps", "first", (object) => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [ownedBy(second, blocking)] },
    }));
    await world.remove("configmaps", "first", { propagationPolicy: "Foreground" });
    await world.settle();
    expect(world.get("configmaps", "first")).toBeUndefined();
    expect(world.get("configmaps", "second")).toBeUndefined();
  });
});
