import { describe, expect, it } from "vitest";
import type { Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import { bindPod } from "../../../../src/embedded-hub/reviews/bind-pod.ts";
import { evictPod } from "../../../../src/embedded-hub/reviews/evict-pod.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf, startHubWorld } from "../controllers/hub-world.ts";
import type { HubWorld } from "../controllers/hub-world.ts";

const place = { namespace: "shop", name: "p" };
const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: place,
  spec: { schedulerName: "none", containers: [{ name: "a", image: "a" }] },
};

/** Another write of the Pod comes before the first update of `work`. */
async function whileChanged({ operations, create }: HubWorld, work: (operations: Operations) => Promise<unknown>) {
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw new Error("Pods are not served");
  await create(pod);
  let isChanged = false;
  await work({
    ...operations,
    update: async (...request) => {
      const patch = { metadata: { labels: { a: "b" } } };
      if (!isChanged)
        await operations.patch(contextOf(administrator), { definition, ...place }, { kind: "merge", patch });
      isChanged = true;
      return operations.update(...request);
    },
  });
}

describe("what is asked for a Pod while another write changes it", () => {
  it("a binding is done after the write", async () => {
    const world = await startHubWorld();
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    await whileChanged(world, (operations) => bindPod(operations, contextOf(administrator), { place, binding }));
    expect(world.get("pods", "p")).toMatchObject({ metadata: { labels: { a: "b" } }, spec: { nodeName: "n" } });
  });

  it("an eviction is done after the write", async () => {
    const world = await startHubWorld();
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: place };
    const request = { place, eviction, nowMs: 0 };
    await whileChanged(world, (operations) => evictPod(operations, contextOf(administrator), request));
    expect(world.get("pods", "p")).toBeUndefined();
  });

  it("a binding to a Node is refused when the Pod has one", async () => {
    const world = await startHubWorld();
    const bind = (name: string) => ({ apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { name } });
    const context = contextOf(administrator);
    await whileChanged(world, (operations) => bindPod(operations, context, { place, binding: bind("n") }));
    const again = bindPod(world.operations, context, { place, binding: bind("other") });
    await expect(again).rejects.toThrow('pod p is already assigned to node "n"');
  });
});
