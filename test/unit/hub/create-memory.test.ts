import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { HubContext } from "../../../src/hub/hub-context.ts";
import { createMemory } from "../../../src/hub/hub-context.ts";
import { memberOf } from "../join/hub-scene.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const member = memberOf("eu-1");
const { signal } = new AbortController();

function contextThat(create: (object: KubeObject) => Promise<KubeObject>) {
  const noted: KubeObject[] = [];
  const context = {
    hubApi: { create } as unknown as HubContext["hubApi"],
    view: {
      noteWritten: (_type: unknown, object: KubeObject) => void noted.push(object),
    } as unknown as HubContext["view"],
  };
  return { context, noted };
}

describe("createMemory", () => {
  it("makes a memory of nothing but how the cluster came about, and tells the view", async () => {
    const { context, noted } = contextThat(async (object) => object);
    expect(await createMemory(context, member, signal)).toBe(true);
    expect(noted).toMatchObject([
      { metadata: { name: "rollcall-cluster-eu-1" }, data: { memory: '{"origin":{"isDeclared":false}}' } },
    ]);
  });

  it("leaves a memory alone that a granted registration wrote at the same time", async () => {
    const { context, noted } = contextThat(async () => {
      throw new AppError("E_KUBE_EXISTS", "create ConfigMap/fleet/rollcall-cluster-eu-1");
    });
    expect(await createMemory(context, member, signal)).toBe(false);
    expect(noted).toEqual([]);
  });

  it("passes every other failure on", async () => {
    const { context } = contextThat(async () => {
      throw new AppError("E_KUBE_FORBIDDEN", "create ConfigMap/fleet/rollcall-cluster-eu-1");
    });
    await expect(createMemory(context, member, signal)).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
  });
});
