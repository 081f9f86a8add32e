import { expect, it } from "vitest";
import { objectAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

function autoscaler(metrics: number, name = "a"): KubeObject {
  const target = { type: "AverageValue", averageValue: "1" };
  return {
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "big", namespace: "shop" } },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 3,
      metrics: Array.from({ length: metrics }, () => ({ type: "Pods", pods: { metric: { name }, target } })),
    },
  };
}

/** Reads it in v1, and writes it back with another maximum, as kubectl edit does. */
async function editOld(world: HubWorld): Promise<KubeObject> {
  const definition = world.operations.definitionOf("autoscaling", "horizontalpodautoscalers", "v1");
  if (definition === undefined) throw new Error("v1 is not served");
  const target = { definition, namespace: "shop", name: "big" };
  const read = world.operations.get(target);
  if (read === undefined) throw new Error("it is not there");
  const changed = { ...read, spec: { ...objectAt(read, "spec"), maxReplicas: 4 } };
  return world.operations.update(contextOf(administrator), target, changed);
}

it("an autoscaler of v2 with the most metrics is edited in v1", async () => {
  const world = await startHubWorld();
  await world.create(autoscaler(500));
  expect(await editOld(world)).toMatchObject({ apiVersion: "autoscaling/v1", spec: { maxReplicas: 4 } });
});

it.each([
  { what: "metrics", object: autoscaler(501) },
  { what: "characters of metrics", object: autoscaler(400, "a".repeat(200)) },
])("an autoscaler of v2 with more $what than v1 can write back is refused when it is created", async ({ object }) => {
  const world = await startHubWorld();
  expect(await refusalOf(world.create(object))).toContain("Request entity too large");
});
