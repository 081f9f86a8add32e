import { beforeAll, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { configMap, configMapRef, manager, soon } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";
import { ensureWidgets, widget, widgetRef } from "./widgets.ts";

const otherUid = "11111111-1111-1111-1111-111111111111";

export function describeDeletion(hub: HubSession): void {
  const owned = (object: KubeObject, owner: KubeObject, isBlocking = false): KubeObject => {
    const { apiVersion, kind, metadata } = owner;
    const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" };
    const ownerReferences = [{ ...reference, ...(isBlocking ? { blockOwnerDeletion: true } : {}) }];
    return { ...object, metadata: { ...object.metadata, ownerReferences } };
  };
  const finalized = (object: KubeObject, ...finalizers: string[]): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, finalizers },
  });

  describe("deletion", () => {
    beforeAll(() => ensureWidgets(hub.admin));

    it("removes an object, and succeeds when it is deleted already", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.create(configMap(namespace, "a"), manager);
      await hub.admin.delete(configMapRef(namespace, "a"));
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toBeUndefined();
      await hub.admin.delete(configMapRef(namespace, "a"));
      await hub.admin.delete(configMapRef("no-such-namespace", "a"));
    });

    it("refuses when the object is another one or has changed meanwhile", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a"), manager);
      const ref = configMapRef(namespace, "a");
      const patched = await hub.admin.mergePatch(ref, { data: { x: "1" } }, manager);
      const { uid, resourceVersion } = created.metadata;
      await expect(hub.admin.delete(ref, { uid: otherUid })).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      await expect(hub.admin.delete(ref, { uid, resourceVersion })).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      expect(await hub.admin.get(ref)).toEqual(patched);
      await hub.admin.delete(ref, { uid, resourceVersion: patched.metadata.resourceVersion });
      expect(await hub.admin.get(ref)).toBeUndefined();
    });

    it("waits for finalizers, and takes none that come late", async () => {
      const namespace = await hub.newNamespace();
      const ref = widgetRef(namespace, "a");
      const created = await hub.admin.create(
        finalized(widget(namespace, "a"), "rollcall.dev/a", "rollcall.dev/b"),
        manager,
      );
      await hub.admin.delete(ref);
      const deleting = await hub.admin.get(ref);
      expect(deleting?.metadata).toMatchObject({
        uid: created.metadata.uid,
        deletionTimestamp: expect.any(String) as string,
        deletionGracePeriodSeconds: 0,
        finalizers: ["rollcall.dev/a", "rollcall.dev/b"],
      });
      expect(deleting?.metadata.generation).toBe((created.metadata.generation ?? 0) + 1);
      const late = hub.admin.mergePatch(
        ref,
        { metadata: { finalizers: ["rollcall.dev/a", "rollcall.dev/c"] } },
        manager,
      );
      await expect(late).rejects.toMatchObject({ code: "E_KUBE_INVALID", data: { field: "metadata.finalizers" } });
      await hub.admin.delete(ref);
      const relabelled = await hub.admin.mergePatch(ref, { metadata: { labels: { x: "1" } } }, manager);
      expect(relabelled.metadata.deletionTimestamp).toBe(deleting?.metadata.deletionTimestamp);
      await hub.admin.mergePatch(ref, { metadata: { finalizers: ["rollcall.dev/b"] } }, manager);
      expect(await hub.admin.get(ref)).toBeDefined();
      await hub.admin.mergePatch(ref, { metadata: { finalizers: null } }, manager);
      expect(await hub.admin.get(ref)).toBeUndefined();
    });

    it("cannot be begun or undone by a write", async () => {
      const namespace = await hub.newNamespace();
      const ref = widgetRef(namespace, "a");
      await hub.admin.create(finalized(widget(namespace, "a"), "rollcall.dev/a"), manager);
      const set = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 } };
      const unchanged = await hub.admin.mergePatch(ref, set, manager).catch(() => hub.admin.get(ref));
      expect(unchanged?.metadata.deletionTimestamp).toBeUndefined();
      await hub.admin.delete(ref);
      const cleared = { metadata: { deletionTimestamp: null } };
      const still = await hub.admin.mergePatch(ref, cleared, manager).catch(() => hub.admin.get(ref));
      expect(still?.metadata.deletionTimestamp).toBeDefined();
      await hub.admin.mergePatch(ref, { metadata: { finalizers: null } }, manager);
    });

    it("collects what the object owned, in the background", async () => {
      const namespace = await hub.newNamespace();
      const owner = await hub.admin.create(configMap(namespace, "owner"), manager);
      const child = await hub.admin.create(owned(configMap(namespace, "child"), owner), manager);
      await hub.admin.create(owned(configMap(namespace, "grandchild"), child), manager);
      await hub.admin.create(configMap(namespace, "stranger"), manager);
      await hub.admin.delete(configMapRef(namespace, "owner"), { propagation: "Background" });
      await expect.poll(() => hub.admin.get(configMapRef(namespace, "child")), soon).toBeUndefined();
      await expect.poll(() => hub.admin.get(configMapRef(namespace, "grandchild")), soon).toBeUndefined();
      expect(await hub.admin.get(configMapRef(namespace, "stranger"))).toBeDefined();
    });

    it("keeps what has another owner that lives", async () => {
      const namespace = await hub.newNamespace();
      const [first, second] = [
        await hub.admin.create(configMap(namespace, "first"), manager),
        await hub.admin.create(configMap(namespace, "second"), manager),
      ];
      const child = owned(configMap(namespace, "child"), first);
      child.metadata.ownerReferences?.push(...(owned(child, second).metadata.ownerReferences ?? []));
      await hub.admin.create(child, manager);
      await hub.admin.delete(configMapRef(namespace, "first"), { propagation: "Background" });
      const owners = async () =>
        (await hub.admin.get(configMapRef(namespace, "child")))?.metadata.ownerReferences?.map(({ name }) => name);
      await expect.poll(owners, soon).toEqual(["second"]);
      await hub.admin.delete(configMapRef(namespace, "second"), { propagation: "Background" });
      await expect.poll(owners, soon).toBeUndefined();
    });

    it("collects what names an owner that never was", async () => {
      const namespace = await hub.newNamespace();
      const ghost = { ...configMap(namespace, "ghost"), metadata: { namespace, name: "ghost", uid: otherUid } };
      await hub.admin.create(owned(configMap(namespace, "child"), ghost), manager);
      await expect.poll(() => hub.admin.get(configMapRef(namespace, "child")), soon).toBeUndefined();
    });

    it("leaves dependents, without their owner's name, with propagation Orphan", async () => {
      const namespace = await hub.newNamespace();
      const owner = await hub.admin.create(configMap(namespace, "owner"), manager);
      await hub.admin.create(owned(configMap(namespace, "child"), owner), manager);
      await hub.admin.delete(configMapRef(namespace, "owner"), { propagation: "Orphan" });
      await expect.poll(() => hub.admin.get(configMapRef(namespace, "owner")), soon).toBeUndefined();
      const child = await hub.admin.get(configMapRef(namespace, "child"));
      expect(child?.metadata.ownerReferences ?? []).toEqual([]);
    });

    it("waits in the foreground for those that block it", async () => {
      const namespace = await hub.newNamespace();
      const owner = await hub.admin.create(configMap(namespace, "owner"), manager);
      const child = finalized(owned(configMap(namespace, "child"), owner, true), "rollcall.dev/a");
      await hub.admin.create(child, manager);
      const childRef = configMapRef(namespace, "child");
      await hub.admin.delete(configMapRef(namespace, "owner"), { propagation: "Foreground" });
      const isChildDeleting = async () => (await hub.admin.get(childRef))?.metadata.deletionTimestamp !== undefined;
      await expect.poll(isChildDeleting, soon).toBe(true);
      const waiting = await hub.admin.get(configMapRef(namespace, "owner"));
      expect(waiting?.metadata.finalizers).toContain("foregroundDeletion");
      await hub.admin.mergePatch(childRef, { metadata: { finalizers: null } }, manager);
      await expect.poll(() => hub.admin.get(configMapRef(namespace, "owner")), soon).toBeUndefined();
      expect(await hub.admin.get(childRef)).toBeUndefined();
    });
  });
}
