import { beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { manager, soon } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";
import { ensureWidgets, isEstablished, widget, widgetCrd, widgetRef, widgetType } from "./widgets.ts";

export function describeCrds(hub: HubSession): void {
  describe("kinds of our own", () => {
    beforeAll(() => ensureWidgets(hub.admin));

    it("are established, keep what they were created with, and are in discovery", async () => {
      const crd = await hub.admin.get({
        type: resourceTypes.customResourceDefinition,
        name: widgetCrd.metadata.name,
      });
      const conditions = objectsAt(crd, "status", "conditions").map((item) => [
        textAt(item, "type"),
        textAt(item, "status"),
      ]);
      expect(conditions).toEqual(
        expect.arrayContaining([
          ["Established", "True"],
          ["NamesAccepted", "True"],
        ]),
      );
      expect(crd).toMatchObject({ status: { storedVersions: ["v1"], acceptedNames: { kind: "Widget" } } });
      const group = JSON.parse((await hub.admin.getRaw(`/apis/${widgetType.group}`)).text) as unknown;
      expect(group).toMatchObject({ kind: "APIGroup", preferredVersion: { groupVersion: `${widgetType.group}/v1` } });
      const resources = JSON.parse((await hub.admin.getRaw(`/apis/${widgetType.group}/v1`)).text) as unknown;
      const listed = objectsAt(resources, "resources").map((item) => [textAt(item, "name"), item["namespaced"]]);
      expect(listed).toEqual(
        expect.arrayContaining([
          ["widgets", true],
          ["widgets/status", true],
        ]),
      );
    });

    it("fill in defaults and drop what their schema does not know, at every depth", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(
        {
          ...widget(namespace, "a", { unheard: 1, parts: [{ name: "p", unheard: 1 }], anything: { x: { y: 1 } } }),
          extra: 1,
        },
        manager,
      );
      expect(created["spec"]).toEqual({
        size: "large",
        color: "grey",
        count: 1,
        parts: [{ name: "p" }],
        anything: { x: { y: 1 } },
      });
      expect(created["extra"]).toBeUndefined();
      expect(created.metadata.generation).toBe(1);
    });

    it.each([
      { spec: { size: "huge" }, field: "spec.size" },
      { spec: { size: undefined }, field: "spec.size" },
      { spec: { color: "Red" }, field: "spec.color" },
      { spec: { color: "a".repeat(21) }, field: "spec.color" },
      { spec: { count: 10 }, field: "spec.count" },
      { spec: { count: "3" }, field: "spec.count" },
      { spec: { tags: ["x", "x"] }, field: "spec.tags[1]" },
      { spec: { parts: [{ name: "p" }, { name: "p" }] }, field: "spec.parts[1]" },
      { spec: { parts: [{ weight: 1 }] }, field: "spec.parts[0].name" },
      { spec: { limits: { a: 1 } }, field: "spec.limits.a" },
    ])("refuse $spec, naming $field", async ({ spec, field }) => {
      const namespace = await hub.newNamespace();
      await expect(hub.admin.create(widget(namespace, "a", spec), manager)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        data: { status: 422, reason: "Invalid", field },
      });
    });

    it("refuse what their rules (CEL) forbid, with the rule's message", async () => {
      const namespace = await hub.newNamespace();
      const many = widget(namespace, "a", { size: "small", count: 4 });
      await expect(hub.admin.create(many, manager)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        message: expect.stringContaining("a small widget has at most 3 of them") as string,
        data: { field: "spec" },
      });
      await hub.admin.create(widget(namespace, "a", { owner: "me" }), manager);
      const handedOver = hub.admin.mergePatch(widgetRef(namespace, "a"), { spec: { owner: "you" } }, manager);
      await expect(handedOver).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
        message: expect.stringContaining("owner is for ever") as string,
        data: { field: "spec.owner" },
      });
    });

    it("keep spec and status apart: each endpoint writes its own half", async () => {
      const namespace = await hub.newNamespace();
      const ref = widgetRef(namespace, "a");
      const created = await hub.admin.create({ ...widget(namespace, "a"), status: { phase: "Early" } }, manager);
      expect(created["status"]).toBeUndefined();
      const status = { status: { phase: "Ready" }, spec: { color: "red" }, metadata: { labels: { x: "1" } } };
      const written = await hub.admin.mergePatch(ref, status, { ...manager, subresource: "status" });
      expect(written).toMatchObject({ spec: { color: "grey" }, status: { phase: "Ready" } });
      expect(written.metadata.labels).toBeUndefined();
      expect(written.metadata.generation).toBe(1);
      const replaced = await hub.admin.update(
        { ...written, status: { phase: "Gone" } },
        { ...manager, subresource: "status" },
      );
      expect(replaced["status"]).toEqual({ phase: "Gone" });
      const bySpec = await hub.admin.mergePatch(ref, { spec: { color: "red" }, status: { phase: "Odd" } }, manager);
      expect(bySpec).toMatchObject({ spec: { color: "red" }, status: { phase: "Gone" } });
      await expect(
        hub.admin.mergePatch(ref, { status: { phase: "x".repeat(65) } }, { ...manager, subresource: "status" }),
      ).rejects.toMatchObject({ code: "E_KUBE_INVALID", data: { field: "status.phase" } });
    });

    it("bump the generation by the spec alone", async () => {
      const namespace = await hub.newNamespace();
      const ref = widgetRef(namespace, "a");
      await hub.admin.create(widget(namespace, "a"), manager);
      const labelled = await hub.admin.mergePatch(ref, { metadata: { labels: { x: "1" } } }, manager);
      expect(labelled.metadata.generation).toBe(1);
      const resized = await hub.admin.mergePatch(ref, { spec: { size: "small" } }, manager);
      expect(resized.metadata.generation).toBe(2);
      const same = await hub.admin.mergePatch(ref, { spec: { size: "small" } }, manager);
      expect(same.metadata.generation).toBe(2);
      expect(same.metadata.resourceVersion).toBe(resized.metadata.resourceVersion);
    });

    it("are refused when their schema is none", async () => {
      const broken = (name: string, schema: unknown): KubeObject => ({
        ...widgetCrd,
        metadata: { name: `${name}.contract.rollcall.test` },
        spec: {
          group: widgetType.group,
          scope: "Namespaced",
          names: { kind: "Broken", plural: name },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      });
      const untyped = { type: "object", properties: { spec: { properties: { a: { type: "string" } } } } };
      await expect(hub.admin.create(broken("untypeds", untyped), manager)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
      });
      const malformed = { type: "object", properties: { spec: { type: "nothing" } } };
      await expect(hub.admin.create(broken("malformeds", malformed), manager)).rejects.toMatchObject({
        code: "E_KUBE_INVALID",
      });
    });

    it("get new columns and fields when they change, and are deleted with their objects", async () => {
      const type = { ...widgetType, kind: "Gadget", plural: "gadgets", isNamespaced: false };
      const name = "gadgets.contract.rollcall.test";
      const crd = (properties: Record<string, unknown>): KubeObject => ({
        ...widgetCrd,
        metadata: { name },
        spec: {
          group: type.group,
          scope: "Cluster",
          names: { kind: "Gadget", plural: "gadgets", singular: "gadget", listKind: "GadgetList" },
          versions: [
            { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
          ],
        },
      });
      const api = hub.adminWith({ types: [type] });
      const isServed = () =>
        api.list(type).then(
          () => true,
          () => false,
        );
      await api.apply(crd({ one: { type: "string" } }), manager);
      await expect.poll(() => isEstablished(api, name), soon).toBe(true);
      await expect.poll(isServed, soon).toBe(true);
      const gadget = { apiVersion: `${type.group}/v1`, kind: "Gadget", metadata: { name: "g" }, one: "1", two: "2" };
      expect(await api.create(gadget, manager)).not.toHaveProperty("two");
      await api.apply(crd({ one: { type: "string" }, two: { type: "string" } }), manager);
      const withTwo = async () => valueAt(await api.apply(gadget, manager), "two");
      await expect.poll(withTwo, soon).toBe("2");
      await api.delete({ type: resourceTypes.customResourceDefinition, name });
      await expect.poll(isServed, soon).toBe(false);
      await api.apply(crd({ one: { type: "string" } }), manager);
      await expect.poll(isServed, soon).toBe(true);
      expect((await api.list(type)).items).toEqual([]);
      await api.delete({ type: resourceTypes.customResourceDefinition, name });
    });

    it("take no new object while they are being deleted, by create or apply, and name no verb for it", async () => {
      const type = { ...widgetType, kind: "Ending", plural: "endings" };
      const name = "endings.contract.rollcall.test";
      const crd: KubeObject = {
        ...widgetCrd,
        metadata: { name },
        spec: {
          group: type.group,
          scope: "Namespaced",
          names: { kind: "Ending", plural: "endings", singular: "ending", listKind: "EndingList" },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        },
      };
      const namespace = await hub.newNamespace();
      const api = hub.adminWith({ types: [type] });
      await api.apply(crd, manager);
      const ending = (own: string): KubeObject => ({
        apiVersion: `${type.group}/v1`,
        kind: "Ending",
        metadata: { namespace, name: own },
      });
      const create = (object: KubeObject) =>
        api.create(object, manager).then(
          () => true,
          () => false,
        );
      const held = { ...ending("held"), metadata: { namespace, name: "held", finalizers: ["rollcall.dev/contract"] } };
      await expect.poll(() => create(held), soon).toBe(true);
      await api.delete({ type: resourceTypes.customResourceDefinition, name });
      const verbs = async (): Promise<unknown> => {
        const resources = JSON.parse((await api.getRaw(`/apis/${type.group}/v1`)).text) as unknown;
        return objectsAt(resources, "resources").find((item) => textAt(item, "name") === "endings")?.["verbs"];
      };
      await expect.poll(verbs, soon).toEqual(["delete", "deletecollection", "get", "list", "watch"]);
      const text = "create not allowed while custom resource definition is terminating";
      const refusal = {
        message: expect.stringContaining(`endings.${type.group} "late" is forbidden: ${text}`) as string,
        data: { status: 403, reason: "Forbidden" },
      };
      await expect(api.create(ending("late"), manager)).rejects.toMatchObject(refusal);
      await expect(api.apply(ending("late"), manager)).rejects.toMatchObject(refusal);
      const labelled = { metadata: { labels: { kept: "yes" }, finalizers: null } };
      await api.mergePatch({ type, namespace, name: "held" }, labelled, manager);
      const kept = () => api.get({ type: resourceTypes.customResourceDefinition, name });
      await expect.poll(kept, soon).toBe(undefined);
    });
  });
}
