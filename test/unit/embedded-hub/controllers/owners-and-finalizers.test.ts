import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "./hub-world.ts";
import { configMap, namesOf, ownedBy, startHubWorld } from "./hub-world.ts";
import { podTemplate } from "./workloads.ts";

const hold = "example.org/hold";
const blocking = { blockOwnerDeletion: true };

const metadataOf = (world: HubWorld, name: string) => world.get("configmaps", name)?.metadata;

describe("the garbage collector", () => {
  it("takes from a dependent the owner that orphans it and no other, and from that owner its own finalizer", async () => {
    const world = await startHubWorld();
    const [first, second] = [
      await world.create(configMap("first", { finalizers: [hold] })),
      await world.create(configMap("second")),
    ];
    await world.create(configMap("child", { ownerReferences: [ownedBy(first), ownedBy(second)] }));
    await world.remove("configmaps", "first", { propagationPolicy: "Orphan" });
    await world.settle();
    expect(metadataOf(world, "child")?.ownerReferences).toEqual([ownedBy(second)]);
    expect(metadataOf(world, "first")?.finalizers).toEqual([hold]);
  });

  it("leaves the finalizers of others on an owner whose dependents are deleted", async () => {
    const world = await startHubWorld();
    const owner = await world.create(configMap("owner", { finalizers: [hold] }));
    await world.create(configMap("child", { ownerReferences: [ownedBy(owner, blocking)] }));
    await world.remove("configmaps", "owner", { propagationPolicy: "Foreground" });
    await world.settle();
    expect([metadataOf(world, "child"), metadataOf(world, "owner")?.finalizers]).toEqual([undefined, [hold]]);
  });

  it.each([
    ["blocks it no more", (owner: KubeObject) => [ownedBy(owner)]],
    ["names it no more", () => undefined],
  ])("releases an owner when its dependent %s", async (_how, references) => {
    const world = await startHubWorld();
    const owner = await world.create(configMap("owner"));
    await world.create(configMap("child", { ownerReferences: [ownedBy(owner, blocking)], finalizers: [hold] }));
    await world.remove("configmaps", "owner", { propagationPolicy: "Foreground" });
    await world.settle();
    expect(metadataOf(world, "owner")).toBeDefined();
    const { ownerReferences: _, ...rest } = metadataOf(world, "child") ?? { name: "" };
    const left = references(owner);
    await world.change("configmaps", "child", (object) => ({
      ...object,
      metadata: left === undefined ? rest : { ...rest, ownerReferences: left },
    }));
    await world.settle();
    expect(metadataOf(world, "owner")).toBeUndefined();
  });

  it("keeps a dependent of an owner that waits while another owner is there, and deletes it with the last", async () => {
    const world = await startHubWorld();
    const [waiting, solid] = [await world.create(configMap("waiting")), await world.create(configMap("solid"))];
    await world.create(configMap("child", { ownerReferences: [ownedBy(waiting, blocking), ownedBy(solid)] }));
    await world.remove("configmaps", "waiting", { propagationPolicy: "Foreground" });
    await world.settle();
    expect([metadataOf(world, "waiting"), metadataOf(world, "child")?.ownerReferences]).toEqual([
      undefined,
      [ownedBy(solid)],
    ]);
    await world.remove("configmaps", "solid");
    await world.settle();
    expect(metadataOf(world, "child")).toBeUndefined();
  });

  it("deletes a dependent in the way that its own finalizers ask for", async () => {
    const world = await startHubWorld();
    const owner = await world.create(configMap("owner"));
    for (const finalizer of ["orphan", "foregroundDeletion"]) {
      const of = { ownerReferences: [ownedBy(owner)], finalizers: [finalizer] };
      const child = await world.create(configMap(finalizer.toLowerCase(), of));
      const references = [ownedBy(child, blocking)];
      await world.create(
        configMap(`below-${finalizer.toLowerCase()}`, { ownerReferences: references, finalizers: [hold] }),
      );
    }
    await world.remove("configmaps", "owner");
    await world.settle();
    const left = namesOf(world.list("configmaps")).filter((name) => name !== "kube-root-ca.crt");
    expect(left).toEqual(["below-foregrounddeletion", "below-orphan", "foregrounddeletion"]);
    expect(metadataOf(world, "below-orphan")?.deletionTimestamp).toBeUndefined();
    expect(metadataOf(world, "below-orphan")?.ownerReferences).toBeUndefined();
  });

  it("collects dependents without a namespace, and reads owners of a kind as soon as it is served", async () => {
    const world = await startHubWorld();
    const role = (name: string, ownerReferences?: ReturnType<typeof ownedBy>[]): KubeObject => ({
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", rules: [] },
      metadata: { name, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
    });
    const owner = await world.create(role("owner"));
    await world.create(role("orphaned", [ownedBy(owner)]));
    await world.remove("clusterroles", "owner", { propagationPolicy: "Orphan" });
    const lost = { apiVersion: "example.org/v1", kind: "Thing", name: "t", uid: "u" };
    await world.create(configMap("child", { ownerReferences: [lost] }));
    await world.settle();
    expect(world.get("clusterroles", "orphaned")?.metadata.ownerReferences).toBeUndefined();
    expect(metadataOf(world, "child")).toBeDefined();
    const schema = { openAPIV3Schema: { type: "object" } };
    const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
    await world.create({
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name: "things.example.org" },
      spec: {
        group: "example.org",
        scope: "Namespaced",
        names,
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await expect.poll(() => metadataOf(world, "child")).toBeUndefined();
  });
});

describe("a namespace that is being deleted", () => {
  it("keeps its content until its Pods are deleted, and then the finalizers of others", async () => {
    const world = await startHubWorld();
    const finalize = (finalizers: readonly string[]) =>
      world.change("namespaces", "shop", (object) => ({ ...object, spec: { finalizers } }), {
        subresource: "finalize",
      });
    await finalize(["kubernetes", hold]);
    await world.create({
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "shop", finalizers: [hold] } },
      spec: { containers: [{ name: "main", image: "none" }] },
    });
    await world.create(configMap("content"));
    await world.remove("namespaces", "shop");
    await world.settle();
    expect([metadataOf(world, "content")?.deletionTimestamp, metadataOf(world, "content")?.name]).toEqual([
      undefined,
      "content",
    ]);
    await world.change("pods", "p", (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: [] } }));
    await world.settle();
    expect([metadataOf(world, "content"), world.get("namespaces", "shop")?.["spec"]]).toEqual([
      undefined,
      { finalizers: [hold] },
    ]);
    await finalize([]);
    expect(world.get("namespaces", "shop")).toBeUndefined();
  });
});

describe("a ReplicaSet", () => {
  const pod = (
    name: string,
    labels: Record<string, string>,
    ownerReferences: ReturnType<typeof ownedBy>[],
  ): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop", labels, ownerReferences } },
    spec: { containers: [{ name: "main", image: "none" }] },
  });

  it("makes Pods as its template has them, and counts those alone whose controller it is", async () => {
    const world = await startHubWorld();
    const other = await world.create(configMap("other"));
    const template = podTemplate("web:1");
    const metadata = { ...(template["metadata"] as object), annotations: { a: "b" }, finalizers: [hold] };
    const set = await world.create({
      ...{ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "rs", namespace: "shop" } },
      spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template: { ...template, metadata } },
    });
    await world.settle();
    const [made] = world.list("pods");
    expect(made?.metadata).toMatchObject({ labels: { app: "web" }, annotations: { a: "b" }, finalizers: [hold] });
    await world.create(pod("known", { app: "db" }, [ownedBy(set)]));
    await world.settle();
    expect(world.get("pods", "known")?.metadata.ownerReferences).toEqual([ownedBy(set)]);
    await world.change("pods", made?.metadata.name ?? "", (one) => ({
      ...one,
      metadata: {
        ...one.metadata,
        labels: { app: "old" },
        ownerReferences: [...(one.metadata.ownerReferences ?? []), ownedBy(other)],
      },
    }));
    await world.settle();
    expect(world.get("pods", made?.metadata.name ?? "")?.metadata.ownerReferences).toEqual([ownedBy(other)]);
    expect(world.list("pods").filter(({ metadata: { labels } }) => labels?.["app"] === "web")).toHaveLength(1);
  });
});
