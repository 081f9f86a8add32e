import { describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMap, configMapRef, manager, namesOf } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";

const type = resourceTypes.configMap;

export function describeLists(hub: HubSession): void {
  /** ConfigMaps a, b, c, ... labelled group=test and their own name. */
  async function fill(namespace: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const object = configMap(namespace, name);
      object.metadata.labels = { group: "test", own: name };
      await hub.admin.create(object, manager);
    }
  }
  const ours = { labelSelector: "group=test" };

  describe("lists", () => {
    it("are in the order of names, of one namespace or of all", async () => {
      const [first, second] = [await hub.newNamespace(), await hub.newNamespace()];
      await fill(second, ["b", "a"]);
      await fill(first, ["c"]);
      expect(namesOf((await hub.admin.list(type, { namespace: second, ...ours })).items)).toEqual(["a", "b"]);
      const all = (await hub.admin.list(type, ours)).items.filter(
        ({ metadata }) => metadata.namespace === first || metadata.namespace === second,
      );
      expect(all.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
        `${first}/c`,
        `${second}/a`,
        `${second}/b`,
      ]);
      for (const object of all) expect(object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    });

    it("are empty, with a version, in a namespace without objects or that does not exist", async () => {
      const list = await hub.admin.list(resourceTypes.lease, { namespace: await hub.newNamespace() });
      expect(list.items).toEqual([]);
      expect(list.resourceVersion).toMatch(/^\d+$/u);
      expect((await hub.admin.list(type, { namespace: "no-such-namespace" })).items).toEqual([]);
    });

    it.each([
      { labelSelector: "own=b", expected: ["b"] },
      { labelSelector: "own==b,group=test", expected: ["b"] },
      { labelSelector: "group=test,own!=b", expected: ["a", "c"] },
      { labelSelector: "own in (a, c)", expected: ["a", "c"] },
      { labelSelector: "own notin (a),group", expected: ["b", "c"] },
      { labelSelector: "group=test,!own", expected: [] },
      { labelSelector: "own", expected: ["a", "b", "c"] },
    ])("select by labels: $labelSelector", async ({ labelSelector, expected }) => {
      const namespace = await hub.newNamespace();
      await fill(namespace, ["a", "b", "c"]);
      expect(namesOf((await hub.admin.list(type, { namespace, labelSelector })).items)).toEqual(expected);
    });

    it("select by name and namespace as fields", async () => {
      const namespace = await hub.newNamespace();
      await fill(namespace, ["a", "b"]);
      const one = await hub.admin.list(type, { namespace, fieldSelector: "metadata.name=b" });
      expect(namesOf(one.items)).toEqual(["b"]);
      const everywhere = await hub.admin.list(type, { fieldSelector: `metadata.namespace=${namespace}`, ...ours });
      expect(namesOf(everywhere.items)).toEqual(["a", "b"]);
      const none = await hub.admin.list(type, {
        namespace,
        ...ours,
        fieldSelector: "metadata.name!=a,metadata.name!=b",
      });
      expect(none.items).toEqual([]);
    });

    it("select Secrets by type", async () => {
      const namespace = await hub.newNamespace();
      const secret = (name: string, kind: string) =>
        hub.admin.create({ apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, type: kind }, manager);
      await secret("a", "Opaque");
      await secret("b", "rollcall.dev/proof");
      const found = await hub.admin.list(resourceTypes.secret, { namespace, fieldSelector: "type=rollcall.dev/proof" });
      expect(namesOf(found.items)).toEqual(["b"]);
    });

    it("refuse selectors that they do not understand", async () => {
      for (const selector of [
        { labelSelector: "a in" },
        { fieldSelector: "data.x=1" },
        { fieldSelector: "nonsense" },
      ]) {
        await expect(hub.admin.list(type, { namespace: "default", ...selector })).rejects.toMatchObject({
          code: "E_KUBE_INVALID",
        });
      }
    });

    it("come in pages that are one version, whatever is written meanwhile", async () => {
      const namespace = await hub.newNamespace();
      await fill(namespace, ["a", "b", "c", "d", "e"]);
      const base = `/api/v1/namespaces/${namespace}/configmaps?limit=2&labelSelector=group%3Dtest`;
      const first = await readPage(hub, base);
      expect(first).toMatchObject({ names: ["a", "b"], remaining: undefined });
      await hub.admin.delete(configMapRef(namespace, "d"));
      await fill(namespace, ["bb"]);
      await hub.admin.mergePatch(configMapRef(namespace, "e"), { data: { late: "1" } }, manager);
      const second = await readPage(hub, `${base}&continue=${first.continueToken}`);
      const third = await readPage(hub, `${base}&continue=${second.continueToken}`);
      expect([second.names, third.names]).toEqual([["c", "d"], ["e"]]);
      expect([second.version, third.version]).toEqual([first.version, first.version]);
      expect(third.continueToken).toBe("");
    });

    it("report how many objects are left when nothing is selected", async () => {
      const namespace = await hub.newNamespace();
      const leases = ["a", "b", "c", "d", "e"].map((name) => ({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { namespace, name },
      }));
      for (const lease of leases) await hub.admin.create(lease, manager);
      const page = await readPage(hub, `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?limit=2`);
      expect(page).toMatchObject({ names: ["a", "b"], remaining: 3 });
    });

    it("are whole when they are read through pages of any size", async () => {
      const namespace = await hub.newNamespace();
      const names = Array.from({ length: 23 }, (_, index) => `m-${String(index).padStart(2, "0")}`);
      await fill(namespace, names);
      for (const pageSize of [1, 5, 23, 500]) {
        const list = await hub.adminWith({ pageSize }).list(type, { namespace, ...ours });
        expect(namesOf(list.items)).toEqual(names);
      }
    });

    it("of a kind without namespaces are whole when they are read through pages", async () => {
      const namespace = await hub.newNamespace();
      const { clusterRole } = resourceTypes;
      const names = ["a", "b", "c", "d", "e"].map((name) => `${namespace}-${name}`);
      for (const name of names) {
        const metadata = { name, labels: { pages: namespace } };
        await hub.admin.create({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata }, manager);
      }
      try {
        for (const pageSize of [1, 2, 500]) {
          const small = hub.adminWith({ pageSize });
          const selected = await small.list(clusterRole, { labelSelector: `pages=${namespace}` });
          const all = await small.list(clusterRole, {});
          const ours = all.items.filter(({ metadata }) => metadata.labels?.["pages"] === namespace);
          expect([namesOf(selected.items), namesOf(ours)]).toEqual([names, names]);
        }
      } finally {
        for (const name of names) await hub.admin.delete({ type: clusterRole, name });
      }
    });

    it("refuse a continue token that is none", async () => {
      const answer = await hub.admin.getRaw("/api/v1/configmaps?limit=2&continue=nonsense");
      expect(answer.status).toBe(400);
    });

    it("have a version that is not older than that of any object in them", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a"), manager);
      const list = await hub.admin.list(type, { namespace });
      expect(BigInt(list.resourceVersion)).toBeGreaterThanOrEqual(BigInt(created.metadata.resourceVersion ?? "0"));
    });
  });
}

async function readPage(hub: HubSession, path: string) {
  const { status, text } = await hub.admin.getRaw(path);
  expect(status).toBe(200);
  const page = JSON.parse(text) as {
    metadata: { continue?: string; resourceVersion: string; remainingItemCount?: number };
    items: unknown[];
  };
  return {
    names: page.items.map((item) => textAt(item, "metadata", "name")),
    version: page.metadata.resourceVersion,
    continueToken: encodeURIComponent(page.metadata.continue ?? ""),
    remaining: page.metadata.remainingItemCount,
  };
}
