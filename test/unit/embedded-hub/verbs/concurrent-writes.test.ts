import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, configMap, contextOf, refusalOf } from "../controllers/hub-world.ts";
import { startMemoryHub } from "./memory-hub.ts";

describe("writers of one object at the same moment", () => {
  /** Admission lets time pass, so that all read before one writes. */
  const slow = { validate: () => Promise.resolve() };
  const context = { ...contextOf(administrator), isUntracked: true };

  it("all have their changes in it, and a delete beside them wins", async () => {
    const { operations, definitionOf } = await startMemoryHub([], slow);
    const target = { definition: definitionOf("v1", "ConfigMap"), namespace: "shop", name: "a" };
    await operations.create(context, target, configMap("a"));
    const change = (data: object) =>
      operations.patch(context, target, { kind: "merge", patch: { data } as JsonObject });
    await Promise.all(["x", "y", "z"].map((key) => change({ [key]: "1" })));
    expect(operations.get(target)?.["data"]).toEqual({ x: "1", y: "1", z: "1" });
    const [deleted] = await Promise.all([operations.delete(context, target, {}), refusalOf(change({ x: "2" }))]);
    expect([deleted.isGone, operations.get(target)]).toEqual([true, undefined]);
  });

  it("find that one was before them when both create it", async () => {
    const { operations, definitionOf } = await startMemoryHub([], slow);
    const target = { definition: definitionOf("v1", "ConfigMap"), namespace: "shop" };
    const both = [1, 2].map(() => refusalOf(operations.create(context, target, configMap("a"))));
    expect(await Promise.all(both)).toEqual([undefined, 'configmaps "a" already exists']);
  });

  it.each([
    { taken: 7, refusal: undefined },
    { taken: 8, refusal: 'configmaps "g-bbbbb" already exists' },
  ])("get another generated name, up to eight times: $taken are taken", async ({ taken, refusal }) => {
    let draws = 0;
    const bytes = (count: number): Uint8Array => {
      draws += count === 5 ? 1 : 0;
      return new Uint8Array(count).fill(draws <= taken ? 0 : 1);
    };
    const { operations, definitionOf } = await startMemoryHub([], {}, { next: () => 0, bytes });
    const target = { definition: definitionOf("v1", "ConfigMap"), namespace: "shop" };
    await operations.create(context, target, configMap("g-bbbbb"));
    const generated = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { generateName: "g-" },
    } as unknown as KubeObject;
    expect(await refusalOf(operations.create(context, target, generated))).toBe(refusal);
    expect(draws).toBe(8);
  });

  it("leave a Namespace that is being deleted as it is", async () => {
    const { operations, definitionOf } = await startMemoryHub();
    const target = { definition: definitionOf("v1", "Namespace"), name: "n" };
    await operations.create(context, target, { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } });
    const first = await operations.delete(context, target, {});
    const second = await operations.delete(context, target, {});
    expect([first.isGone, second.isGone, second.object]).toEqual([false, false, first.object]);
    expect(first.object["status"]).toEqual({ phase: "Terminating" });
    const free = { ...first.object, spec: {} };
    expect((await operations.update(context, { ...target, subresource: "finalize" }, free)).metadata.name).toBe("n");
    expect(operations.get(target)).toBeUndefined();
  });
});
