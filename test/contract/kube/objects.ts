import { describe, expect, it } from "vitest";
import { textAt, valueAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMap, configMapRef, manager } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";

const { secret, event, lease } = resourceTypes;

export function describeObjects(hub: HubSession): void {
  describe("objects", () => {
    it("are created with uid, version and time, and read back as they were created", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a", { x: "1" }), manager);
      expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { x: "1" } });
      expect(created.metadata).toMatchObject({ namespace, name: "a" });
      expect(created.metadata.uid).toMatch(/^[\da-f-]{36}$/u);
      expect(created.metadata.resourceVersion).toMatch(/^\d+$/u);
      expect(Math.abs(Date.parse(created.metadata.creationTimestamp ?? "") - Date.now())).toBeLessThan(60_000);
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toEqual(created);
    });

    it("exist once: a second create is E_KUBE_EXISTS and changes nothing", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a", { x: "1" }), manager);
      await expect(hub.admin.create(configMap(namespace, "a", { x: "2" }), manager)).rejects.toMatchObject({
        code: "E_KUBE_EXISTS",
      });
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toEqual(created);
    });

    it("get a name of the server's making; that of an Event may begin with its object's and a dot", async () => {
      const namespace = await hub.newNamespace();
      const about = { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace };
      const metadata = { name: "", generateName: "a.", namespace };
      const body = { apiVersion: "v1", kind: "Event", metadata, involvedObject: about, reason: "Seen", type: "Normal" };
      expect((await hub.admin.create(body, manager)).metadata.name).toMatch(/^a\.[a-z0-9]{5}$/u);
      const map = configMap(namespace, "");
      const made = await hub.admin.create({ ...map, metadata: { ...map.metadata, generateName: "a-" } }, manager);
      expect(made.metadata.name).toMatch(/^a-[a-z0-9]{5}$/u);
      const wrong = { ...map, metadata: { ...map.metadata, generateName: "a." } };
      await expect(hub.admin.create(wrong, manager)).rejects.toMatchObject({ code: "E_KUBE_INVALID" });
    });

    it("are undefined when they do not exist, also in a namespace that does not", async () => {
      const namespace = await hub.newNamespace();
      expect(await hub.admin.get(configMapRef(namespace, "none"))).toBeUndefined();
      expect(await hub.admin.get(configMapRef("no-such-namespace", "none"))).toBeUndefined();
    });

    it("of a resource that the hub does not know are E_KUBE_NOT_FOUND, never absent", async () => {
      const type = { group: "unheard.example", version: "v1", kind: "Thing", plural: "things", isNamespaced: true };
      const ref = { type, namespace: "default", name: "a" };
      await expect(hub.admin.get(ref)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
      await expect(hub.admin.list(type)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
      await expect(hub.admin.delete(ref)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
      const inKnownGroup = { ...ref, type: { ...type, group: "apps", plural: "nothings" } };
      await expect(hub.admin.get(inKnownGroup)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
    });

    it("cannot be created in a namespace that does not exist, or with a version", async () => {
      const namespace = await hub.newNamespace();
      await expect(hub.admin.create(configMap("no-such-namespace", "a"), manager)).rejects.toMatchObject({
        code: "E_KUBE_NOT_FOUND",
      });
      const versioned = { ...configMap(namespace, "a"), metadata: { namespace, name: "a", resourceVersion: "1" } };
      // Kubernetes calls this an internal error; what counts is that nothing is made.
      await expect(hub.admin.create(versioned, manager)).rejects.toMatchObject({
        code: expect.stringMatching(/^E_KUBE_(?:INVALID|SERVER)$/u) as string,
      });
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toBeUndefined();
    });

    it("are refused by field when name or labels are malformed", async () => {
      const namespace = await hub.newNamespace();
      await expect(hub.admin.create(configMap(namespace, "Not A Name"), manager)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        data: { status: 422, reason: "Invalid", field: "metadata.name" },
      });
      const labelled = configMap(namespace, "a");
      labelled.metadata.labels = { "a b": "c" };
      await expect(hub.admin.create(labelled, manager)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        data: { field: "metadata.labels" },
      });
    });

    it("get a name of their own from generateName", async () => {
      const namespace = await hub.newNamespace();
      const metadata = { namespace, generateName: "made-" };
      const make = () =>
        hub.admin.create({ apiVersion: "v1", kind: "ConfigMap", metadata: metadata as never }, manager);
      const made = await Promise.all([make(), make(), make()]);
      expect(new Set(made.map((object) => object.metadata.name)).size).toBe(3);
      for (const object of made) expect(object.metadata.name).toMatch(/^made-[a-z\d]{5}$/u);
    });

    it("are replaced by update only from the version that was read", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a", { x: "1" }), manager);
      const updated = await hub.admin.update({ ...created, data: { y: "2" } }, manager);
      expect(updated["data"]).toEqual({ y: "2" });
      expect(updated.metadata.uid).toBe(created.metadata.uid);
      expect(updated.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
      expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
      await expect(hub.admin.update({ ...created, data: { z: "3" } }, manager)).rejects.toMatchObject({
        code: "E_KUBE_CONFLICT",
        data: { reason: "Conflict" },
      });
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toEqual(updated);
    });

    it("cannot be updated under another uid, or when they are deleted", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a"), manager);
      const other = { ...created, metadata: { ...created.metadata, uid: "11111111-1111-1111-1111-111111111111" } };
      await expect(hub.admin.update(other, manager)).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      await hub.admin.delete(configMapRef(namespace, "a"));
      await expect(hub.admin.update(created, manager)).rejects.toMatchObject({
        code: expect.stringMatching(/^E_KUBE_(?:NOT_FOUND|CONFLICT)$/u) as string,
      });
    });

    it("keep their version when a write changes nothing", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a", { x: "1" }), manager);
      const same = await hub.admin.update(created, manager);
      expect(same.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
      const patched = await hub.admin.mergePatch(configMapRef(namespace, "a"), { data: { x: "1" } }, manager);
      expect(patched.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    });

    it("are changed by merge patch, where null removes", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.create(configMap(namespace, "a", { x: "1", y: "2" }), manager);
      const ref = configMapRef(namespace, "a");
      const patched = await hub.admin.mergePatch(
        ref,
        { data: { x: null, z: "3" }, metadata: { labels: { l: "v" } } },
        manager,
      );
      expect(patched["data"]).toEqual({ y: "2", z: "3" });
      expect(patched.metadata.labels).toEqual({ l: "v" });
      const stale = { metadata: { resourceVersion: "1" }, data: { q: "4" } };
      await expect(hub.admin.mergePatch(ref, stale, manager)).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      await expect(hub.admin.mergePatch(configMapRef(namespace, "none"), {}, manager)).rejects.toMatchObject({
        code: "E_KUBE_NOT_FOUND",
      });
    });

    it("are only tried by a dry run", async () => {
      const namespace = await hub.newNamespace();
      const dryRun = { ...manager, isDryRun: true };
      const tried = await hub.admin.create(configMap(namespace, "a", { x: "1" }), dryRun);
      expect(tried.metadata.uid).toBeDefined();
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toBeUndefined();
      const created = await hub.admin.create(configMap(namespace, "a", { x: "1" }), manager);
      expect((await hub.admin.update({ ...created, data: { x: "2" } }, dryRun))["data"]).toEqual({ x: "2" });
      expect((await hub.admin.mergePatch(configMapRef(namespace, "a"), { data: { x: "3" } }, dryRun))["data"]).toEqual({
        x: "3",
      });
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toEqual(created);
      await expect(hub.admin.create(configMap(namespace, "a"), dryRun)).rejects.toMatchObject({
        code: "E_KUBE_EXISTS",
      });
    });

    it("of kind Secret encode stringData, default to Opaque, and keep their type", async () => {
      const namespace = await hub.newNamespace();
      const metadata = { namespace, name: "s" };
      const created = await hub.admin.create(
        { apiVersion: "v1", kind: "Secret", metadata, stringData: { password: "hunter2" } },
        manager,
      );
      expect(created["stringData"]).toBeUndefined();
      expect(created["data"]).toEqual({ password: Buffer.from("hunter2").toString("base64") });
      expect(created["type"]).toBe("Opaque");
      const changed = hub.admin.mergePatch({ type: secret, ...metadata }, { type: "example.com/other" }, manager);
      await expect(changed).rejects.toMatchObject({ code: "E_KUBE_INVALID", data: { field: "type" } });
    });

    it("of kind Secret with wrong values are refused without their values", async () => {
      const namespace = await hub.newNamespace();
      const bad = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace, name: "s" },
        data: { password: "h%nter2" },
      };
      const error: unknown = await hub.admin.create(bad, manager).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: "E_KUBE_INVALID" });
      expect(JSON.stringify(error)).not.toContain("h%nter2");
    });

    it("of kind ConfigMap that are immutable stay so", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.create({ ...configMap(namespace, "a", { x: "1" }), immutable: true }, manager);
      const changed = hub.admin.mergePatch(configMapRef(namespace, "a"), { data: { x: "2" } }, manager);
      await expect(changed).rejects.toMatchObject({ code: "E_KUBE_INVALID", data: { field: "data" } });
    });

    it("of kind Event and Lease keep times to the microsecond", async () => {
      const namespace = await hub.newNamespace();
      const time = "2026-01-02T03:04:05.678901Z";
      const metadata = { namespace, name: "e" };
      const involvedObject = { kind: "Widget", namespace, name: "w", apiVersion: "v1" };
      const body = { involvedObject, reason: "Joined", message: "it joined", type: "Normal", eventTime: time };
      const reporting = { reportingComponent: "rollcall.dev/hub", reportingInstance: "hub-0", action: "Join" };
      await hub.admin.create({ apiVersion: "v1", kind: "Event", metadata, ...body, ...reporting }, manager);
      expect(textAt(await hub.admin.get({ type: event, ...metadata }), "eventTime")).toBe(time);
      const spec = { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: time };
      const made = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
      await hub.admin.create(made, manager);
      expect(valueAt(await hub.admin.get({ type: lease, ...metadata }), "spec")).toEqual(spec);
      const bad = { ...made, metadata: { namespace, name: "bad" }, spec: { ...spec, leaseDurationSeconds: 0 } };
      await expect(hub.admin.create(bad, manager)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        data: { field: "spec.leaseDurationSeconds" },
      });
    });
  });
}
