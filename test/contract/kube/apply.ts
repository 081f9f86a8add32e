import { beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { configMap, configMapRef, manager } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";
import { ensureWidgets, widget, widgetRef } from "./widgets.ts";

const git = { fieldManager: "rollcall-git" };
const hand = { fieldManager: "kubectl" };
const unforced = { isForced: false };

export function describeApply(hub: HubSession): void {
  /** Applied intent leaves out what the server filled in. */
  const partial = (object: KubeObject, fields: Record<string, unknown>): KubeObject => ({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { namespace: object.metadata.namespace, name: object.metadata.name },
    ...fields,
  });

  describe("apply", () => {
    beforeAll(() => ensureWidgets(hub.admin));

    it("creates, and removes what a manager no longer declares, and only that", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.apply(configMap(namespace, "a", { x: "1", y: "2" }), git);
      await hub.admin.mergePatch(configMapRef(namespace, "a"), { data: { by: "hand" } }, hand);
      const applied = await hub.admin.apply(configMap(namespace, "a", { y: "3" }), git);
      expect(applied["data"]).toEqual({ y: "3", by: "hand" });
    });

    it("creates one object when many managers apply it at once, with what each of them declares", async () => {
      const namespace = await hub.newNamespace();
      const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
      await Promise.all(
        keys.map((key) => hub.admin.apply(configMap(namespace, "a", { [key]: "1" }), { fieldManager: key })),
      );
      const made = await hub.admin.get(configMapRef(namespace, "a"));
      expect(made?.["data"]).toEqual(Object.fromEntries(keys.map((key) => [key, "1"])));
    });

    it("changes nothing, not even the version, when the intent is the same", async () => {
      const namespace = await hub.newNamespace();
      const first = await hub.admin.apply(widget(namespace, "a", { parts: [{ name: "p", weight: 1 }] }), git);
      const second = await hub.admin.apply(widget(namespace, "a", { parts: [{ name: "p", weight: 1 }] }), git);
      expect(second).toEqual(first);
    });

    it("records manager, operation and fields", async () => {
      const namespace = await hub.newNamespace();
      const applied = await hub.admin.apply(configMap(namespace, "a", { x: "1" }), git);
      expect(applied.metadata.managedFields).toEqual([
        {
          manager: "rollcall-git",
          operation: "Apply",
          apiVersion: "v1",
          time: expect.any(String) as string,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { "f:x": {} } },
        },
      ]);
      const patched = await hub.admin.mergePatch(configMapRef(namespace, "a"), { data: { y: "2" } }, hand);
      expect(patched.metadata.managedFields?.map(({ manager: name, operation }) => [name, operation])).toEqual([
        ["rollcall-git", "Apply"],
        ["kubectl", "Update"],
      ]);
    });

    it("takes over what others wrote, but without force it names them and the field", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.apply(configMap(namespace, "a", { x: "1" }), hand);
      const refused = hub.admin.apply(configMap(namespace, "a", { x: "2" }), { ...git, ...unforced });
      await expect(refused).rejects.toMatchObject({
        code: "E_KUBE_CONFLICT",
        message: expect.stringContaining('"kubectl"') as string,
        data: { cause: "FieldManagerConflict", field: ".data.x" },
      });
      const taken = await hub.admin.apply(configMap(namespace, "a", { x: "2" }), git);
      expect(taken["data"]).toEqual({ x: "2" });
      const owners = taken.metadata.managedFields?.filter((entry) => valueAt(entry, "fieldsV1", "f:data", "f:x"));
      expect(owners?.map((entry) => entry.manager)).toEqual(["rollcall-git"]);
    });

    it("lets several managers own a field with one value: it stays until the last one drops it", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.apply(configMap(namespace, "a", { x: "1", z: "9" }), git);
      await hub.admin.apply(configMap(namespace, "a", { x: "1" }), { ...hand, ...unforced });
      expect((await hub.admin.apply(configMap(namespace, "a", { z: "9" }), git))["data"]).toEqual({ x: "1", z: "9" });
      const released = await hub.admin.apply(partial(configMap(namespace, "a"), {}), hand);
      expect(released["data"]).toEqual({ z: "9" });
    });

    it("reverts what another manager changed, and takes the field over", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.apply(widget(namespace, "a", { color: "green" }), git);
      await hub.admin.mergePatch(widgetRef(namespace, "a"), { spec: { color: "red" } }, hand);
      const restored = await hub.admin.apply(widget(namespace, "a", { color: "green" }), git);
      expect(valueAt(restored, "spec", "color")).toBe("green");
      const owners = restored.metadata.managedFields?.filter((entry) =>
        valueAt(entry, "fieldsV1", "f:spec", "f:color"),
      );
      expect(owners?.map((entry) => entry.manager)).toEqual(["rollcall-git"]);
    });

    it("merges labels, annotations and finalizers of several managers by key", async () => {
      const namespace = await hub.newNamespace();
      const withMeta = (labels: Record<string, string>, finalizers: string[]): KubeObject => {
        const object = widget(namespace, "a");
        return { ...object, metadata: { ...object.metadata, labels, finalizers } };
      };
      await hub.admin.apply(withMeta({ a: "1", b: "2" }, ["rollcall.dev/a"]), git);
      await hub.admin.apply(withMeta({ c: "3" }, ["rollcall.dev/b"]), hand);
      const merged = await hub.admin.apply(withMeta({ b: "2" }, ["rollcall.dev/a"]), git);
      expect(merged.metadata.labels).toEqual({ b: "2", c: "3" });
      expect(merged.metadata.finalizers?.toSorted()).toEqual(["rollcall.dev/a", "rollcall.dev/b"]);
      const without = await hub.admin.apply(partial(merged, { spec: { size: "large" } }), git);
      expect(without.metadata.labels).toEqual({ c: "3" });
      await hub.admin.apply(partial(merged, { spec: { size: "large" } }), hand);
      await hub.admin.delete(widgetRef(namespace, "a"));
    });

    it("merges lists with keys by their items, sets by their values, and other lists as a whole", async () => {
      const namespace = await hub.newNamespace();
      const spec = { parts: [{ name: "wheel", weight: 4 }], tags: ["x", "y"], steps: ["one", "two"] };
      await hub.admin.apply(widget(namespace, "a", spec), git);
      const byHand = {
        parts: [
          { name: "bell", weight: 1 },
          { name: "wheel", note: "round" },
        ],
        tags: ["z"],
      };
      await hub.admin.apply(widget(namespace, "a", byHand), hand);
      const next = { parts: [{ name: "wheel", weight: 5 }], tags: ["y"], steps: ["two"] };
      const merged = await hub.admin.apply(widget(namespace, "a", next), git);
      expect(objectsAt(merged, "spec", "parts")).toEqual([
        { name: "bell", weight: 1 },
        { name: "wheel", weight: 5, note: "round" },
      ]);
      expect(valueAt(merged, "spec", "tags")).toEqual(expect.arrayContaining(["y", "z"]));
      expect(valueAt(merged, "spec", "tags")).toHaveLength(2);
      expect(valueAt(merged, "spec", "steps")).toEqual(["two"]);
      const gone = await hub.admin.apply(widget(namespace, "a", {}), git);
      expect(objectsAt(gone, "spec", "parts")).toEqual([
        { name: "bell", weight: 1 },
        { name: "wheel", note: "round" },
      ]);
    });

    it("merges the containers and variables of a Deployment by name, and bumps its generation only by its spec", async () => {
      const namespace = await hub.newNamespace();
      const deployment = (
        env: { name: string; value: string }[],
        fields: Record<string, unknown> = {},
      ): KubeObject => ({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { namespace, name: "agent", labels: { app: "agent" } },
        spec: {
          selector: { matchLabels: { app: "agent" } },
          template: {
            metadata: { labels: { app: "agent" } },
            spec: { containers: [{ name: "agent", image: "agent:1", env, ...fields }] },
          },
        },
      });
      const first = await hub.admin.apply(deployment([{ name: "A", value: "1" }]), git);
      expect(first.metadata.generation).toBe(1);
      const again = await hub.admin.apply(deployment([{ name: "A", value: "1" }]), git);
      expect(again.metadata.generation).toBe(1);
      await hub.admin.apply(deployment([{ name: "B", value: "2" }], { image: "agent:1" }), hand);
      const merged = await hub.admin.apply(deployment([{ name: "A", value: "3" }], { image: "agent:2" }), git);
      const [container] = objectsAt(merged, "spec", "template", "spec", "containers");
      expect(container).toMatchObject({
        image: "agent:2",
        env: [
          { name: "A", value: "3" },
          { name: "B", value: "2" },
        ],
      });
      expect(merged.metadata.generation).toBe(3);
    });

    it("writes a status without touching the spec, as a manager of its own", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.apply(widget(namespace, "a", { color: "green" }), git);
      const base = partial(widget(namespace, "a"), {});
      const status = { phase: "Ready", conditions: [{ type: "Ready", status: "True" }] };
      const written = await hub.admin.apply(
        { ...base, spec: { size: "small", color: "red" }, status },
        { fieldManager: "rollcall-hub", subresource: "status" },
      );
      expect(written["status"]).toEqual(status);
      expect(valueAt(written, "spec", "color")).toBe("green");
      const entry = written.metadata.managedFields?.find((item) => item.manager === "rollcall-hub");
      expect(entry).toMatchObject({ subresource: "status", operation: "Apply" });
      const bySpec = await hub.admin.apply(
        { ...widget(namespace, "a", { color: "green" }), status: { phase: "X" } },
        git,
      );
      expect(bySpec["status"]).toEqual(status);
      const conditions = [{ type: "Healthy", status: "True" }];
      const other = { fieldManager: "rollcall-health", subresource: "status" } as const;
      const both = await hub.admin.apply({ ...base, status: { conditions } }, other);
      expect(valueAt(both, "status", "conditions")).toEqual([...status.conditions, ...conditions]);
    });

    it("writes no status of an object that is not there", async () => {
      const base = partial(widget(await hub.newNamespace(), "none"), { status: { phase: "Ready" } });
      await expect(hub.admin.apply(base, { ...git, subresource: "status" })).rejects.toMatchObject({
        code: "E_KUBE_NOT_FOUND",
      });
    });

    it("is only tried by a dry run, conflicts included", async () => {
      const namespace = await hub.newNamespace();
      const tried = await hub.admin.apply(configMap(namespace, "a", { x: "1" }), { ...git, isDryRun: true });
      expect(tried["data"]).toEqual({ x: "1" });
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toBeUndefined();
      const applied = await hub.admin.apply(configMap(namespace, "a", { x: "1" }), hand);
      const conflicting = hub.admin.apply(configMap(namespace, "a", { x: "2" }), {
        ...git,
        ...unforced,
        isDryRun: true,
      });
      await expect(conflicting).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      const changed = await hub.admin.apply(configMap(namespace, "a", { x: "2" }), { ...git, isDryRun: true });
      expect(changed["data"]).toEqual({ x: "2" });
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toEqual(applied);
    });

    it("keeps to a version or uid that is given with the intent", async () => {
      const namespace = await hub.newNamespace();
      const applied = await hub.admin.apply(configMap(namespace, "a", { x: "1" }), git);
      const { uid, resourceVersion } = applied.metadata;
      const at = (metadata: object) => ({
        ...configMap(namespace, "a", { x: "2" }),
        metadata: { namespace, name: "a", ...metadata },
      });
      const stale = at({ resourceVersion: String(BigInt(resourceVersion ?? "2") - 1n) });
      await expect(hub.admin.apply(stale, git)).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      const other = at({ uid: "11111111-1111-1111-1111-111111111111" });
      await expect(hub.admin.apply(other, git)).rejects.toMatchObject({
        code: expect.stringMatching(/^E_KUBE_(?:CONFLICT|INVALID)$/u) as string,
      });
      expect(await hub.admin.get(configMapRef(namespace, "a"))).toEqual(applied);
      expect((await hub.admin.apply(at({ uid, resourceVersion }), git))["data"]).toEqual({ x: "2" });
    });

    it("creates with the version 1 what does not exist, and changes nothing that exists", async () => {
      const namespace = await hub.newNamespace();
      const metadata = { namespace, name: "a", resourceVersion: "1", labels: { by: "git" } };
      const objects: readonly KubeObject[] = [
        { apiVersion: "v1", kind: "ConfigMap", metadata, data: { x: "1" } },
        { apiVersion: "v1", kind: "Secret", metadata, stringData: { x: "1" } },
        { apiVersion: "v1", kind: "ServiceAccount", metadata },
        { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { holderIdentity: "x" } },
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules: [] },
        { ...widget(namespace, "a", { color: "green" }), metadata },
      ];
      for (const object of objects) {
        const made = await hub.admin.apply(object, git);
        expect(made.metadata.managedFields).toMatchObject([{ manager: "rollcall-git", operation: "Apply" }]);
        const again = { ...object, metadata: { ...metadata, labels: { by: "another" } } };
        await expect(hub.admin.apply(again, hand)).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      }
      for (const ref of [configMapRef(namespace, "a"), widgetRef(namespace, "a")])
        expect((await hub.admin.get(ref))?.metadata.labels).toEqual({ by: "git" });
    });

    it("keeps to a version that is given with a status", async () => {
      const namespace = await hub.newNamespace();
      const hubStatus = { fieldManager: "rollcall-hub", subresource: "status" } as const;
      const first = await hub.admin.apply(widget(namespace, "a", { color: "green" }), git);
      const second = await hub.admin.apply(widget(namespace, "a", { color: "red" }), git);
      const at = ({ metadata: { resourceVersion = "" } }: KubeObject) => ({
        ...partial(widget(namespace, "a"), { status: { phase: "Ready" } }),
        metadata: { namespace, name: "a", resourceVersion },
      });
      await expect(hub.admin.apply(at(first), hubStatus)).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      expect((await hub.admin.apply(at(second), hubStatus))["status"]).toEqual({ phase: "Ready" });
    });

    it("refuses an intent that the schema does not allow, and names the field", async () => {
      const namespace = await hub.newNamespace();
      await expect(hub.admin.apply(widget(namespace, "a", { size: "huge" }), git)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        data: { field: "spec.size" },
      });
      const twice = widget(namespace, "a", { parts: [{ name: "p" }, { name: "p" }] });
      // Kubernetes calls these internal errors; what counts is that nothing is written.
      await expect(hub.admin.apply(twice, git)).rejects.toThrow(/apply Widget/u);
      const unkeyed = widget(namespace, "a", { parts: [{ weight: 1 }] });
      await expect(hub.admin.apply(unkeyed, git)).rejects.toThrow(/apply Widget/u);
      expect(await hub.admin.get(widgetRef(namespace, "a"))).toBeUndefined();
    });

    it("forgets the managers of an object that is written without them", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.apply(configMap(namespace, "a", { x: "1" }), git);
      const cleared = await hub.admin.mergePatch(
        configMapRef(namespace, "a"),
        { metadata: { managedFields: [{}] } },
        manager,
      );
      expect((cleared.metadata.managedFields ?? []).map((entry) => textAt(entry, "manager"))).not.toContain(
        "rollcall-git",
      );
    });
  });
}
