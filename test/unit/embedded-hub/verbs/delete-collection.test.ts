import { describe, expect, it } from "vitest";
import { forbidden } from "../../../../src/embedded-hub/failures/failures.ts";
import type { Admission } from "../../../../src/embedded-hub/operations/admission.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, configMap, contextOf, namesOf, refusalOf } from "../controllers/hub-world.ts";
import { startMemoryHub } from "./memory-hub.ts";

const context = contextOf(administrator);

/** A hub with ConfigMaps `m000`, `m001` and so on, and one in another namespace. */
async function startShop(count: number, admission: Partial<Admission> = {}) {
  const hub = await startMemoryHub([], admission);
  const definition = hub.definitionOf("v1", "ConfigMap");
  const create = (object: KubeObject): Promise<KubeObject> =>
    hub.operations.create(context, { definition, namespace: object.metadata.namespace ?? "" }, object);
  for (let index = 0; index < count; index++) await create(configMap(`m${String(index).padStart(3, "0")}`));
  await create({ ...configMap("other"), metadata: { name: "other", namespace: "market" } });
  const left = () => namesOf(hub.operations.list({ definition }).items);
  const remove = (namespace: string | undefined, more: { inAllNamespaces?: boolean; query?: object } = {}) =>
    hub.operations.deleteCollection(
      context,
      { definition, ...(namespace === undefined ? {} : { namespace }) },
      { query: { ...(namespace === undefined ? {} : { namespace }) }, options: {}, ...more },
    );
  return { ...hub, definition, left, remove };
}

describe("a delete of a collection", () => {
  it("deletes those of its namespace, and answers with what it deleted", async () => {
    const { remove, left } = await startShop(3);
    const { items } = await remove("shop");
    expect([namesOf(items.map(({ object }) => object)), left()]).toEqual([["m000", "m001", "m002"], ["other"]]);
  });

  it("needs a namespace where there is something to delete, unless it is of the hub", async () => {
    const { remove, left } = await startShop(1);
    expect(await refusalOf(remove(undefined))).toBe("Namespace parameter required.");
    expect(left()).toEqual(["m000", "other"]);
    await remove(undefined, { inAllNamespaces: true });
    expect(left()).toEqual([]);
    expect(await refusalOf(remove(undefined))).toBeUndefined();
  });

  it("needs none for a kind without namespaces", async () => {
    const { operations, definitionOf } = await startMemoryHub();
    const definition = definitionOf("v1", "Node");
    await operations.create(context, { definition }, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
    await operations.deleteCollection(context, { definition }, { query: {}, options: {} });
    expect(operations.list({ definition }).items).toEqual([]);
  });

  it("passes over what another deletes meanwhile, and is nameless to admission", async () => {
    const names: string[] = [];
    const hub = await startShop(3, {
      validate: async ({ operation, name, oldObject }) => {
        if (operation !== "DELETE") return;
        names.push(name);
        if (name !== "" || oldObject?.metadata.name !== "m001") return;
        await hub.operations.delete(context, { definition: hub.definition, namespace: "shop", name: "m001" }, {});
      },
    });
    await hub.remove("shop");
    expect([hub.left(), names.sort()]).toEqual([["other"], ["", "", "", "m001"]]);
  });

  it("ends with the first refusal, and has at most 64 objects under way then", async () => {
    let asked = 0;
    const { remove, left } = await startShop(130, {
      validate: ({ operation, oldObject }) => {
        if (operation !== "DELETE") return;
        asked += 1;
        if (oldObject?.metadata.name === "m010")
          throw forbidden({ group: "", plural: "configmaps", name: "m010" }, "it is to stay");
      },
    });
    expect(await refusalOf(remove("shop"))).toContain("it is to stay");
    expect([asked, left().filter((name) => name > "m063")]).toEqual([
      64,
      [...Array.from({ length: 66 }, (_, index) => `m${String(index + 64).padStart(3, "0")}`), "other"],
    ]);
  });

  it("deletes more than 64 in groups", async () => {
    const { remove, left } = await startShop(130);
    await remove("shop");
    expect(left()).toEqual(["other"]);
  });
});
