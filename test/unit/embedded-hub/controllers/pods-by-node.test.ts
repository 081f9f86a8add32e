import { expect, it } from "vitest";
import type { Controller, ControllerScope } from "../../../../src/embedded-hub/controllers/controller-scope.ts";
import { startEndpointSliceController } from "../../../../src/embedded-hub/controllers/endpoint-slice-controller.ts";
import { startPodCollector } from "../../../../src/embedded-hub/controllers/pod-collector.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { startHubWorld } from "./hub-world.ts";
import { loneScope } from "./lone-controller.ts";

const count = 20;

const node = (index: number): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name: `n${index}` } });

it.each<[string, (scope: ControllerScope) => Controller, "nodes" | "pods"]>([
  ["Pods of many missing Nodes are collected", startPodCollector, "pods"],
  ["many Nodes come", startEndpointSliceController, "nodes"],
])("A246 no Pod of another Node is read when %s", async (_, start, plural) => {
  const { operations, clock, create } = await startHubWorld();
  const lists: string[] = [];
  const list: typeof operations.list = (request) => {
    lists.push(request.definition.plural);
    return operations.list(request);
  };
  const { scope, report, doneCount } = loneScope({ operations: { ...operations, list }, clock });
  const controller = start(scope);
  for (let index = 0; index < count; index += 1) {
    const spec = { nodeName: `n${index}`, containers: [{ name: "main", image: "none" }] };
    const metadata = { name: `p${index}`, namespace: "shop" };
    report("pods", "added", await create({ apiVersion: "v1", kind: "Pod", metadata, spec }));
  }
  if (plural === "nodes") for (let index = 0; index < count; index += 1) report("nodes", "added", node(index));
  await clock.advance(41_000);
  expect(await doneCount()).toBeGreaterThanOrEqual(count);
  expect(lists).toEqual([]);
  await controller.stop();
});
