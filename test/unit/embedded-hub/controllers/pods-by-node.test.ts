import { expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { WorkQueue } from "../../../../src/core/work-queue.ts";
import type { Controller, ControllerScope } from "../../../../src/embedded-hub/controllers/controller-scope.ts";
import { startEndpointSliceController } from "../../../../src/embedded-hub/controllers/endpoint-slice-controller.ts";
import type { FeedListener } from "../../../../src/embedded-hub/controllers/object-feed.ts";
import { createOwnerIndex } from "../../../../src/embedded-hub/controllers/owner-index.ts";
import { startPodCollector } from "../../../../src/embedded-hub/controllers/pod-collector.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { countingTurns } from "../../../support/turns-during.ts";
import { realRandom } from "../../../support/real-time.ts";
import { startHubWorld } from "./hub-world.ts";

const count = 20;

const node = (index: number): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name: `n${index}` } });

it.each<[string, (scope: ControllerScope) => Controller, "nodes" | "pods"]>([
  ["Pods of many missing Nodes are collected", startPodCollector, "pods"],
  ["many Nodes come", startEndpointSliceController, "nodes"],
])("A246 no Pod of another Node is read when %s", async (_, start, plural) => {
  const { operations, clock, create } = await startHubWorld();
  const listeners: [string, FeedListener][] = [];
  const queues: WorkQueue[] = [];
  const lists: string[] = [];
  const controller = start({
    operations: {
      ...operations,
      list: (request) => {
        lists.push(request.definition.plural);
        return operations.list(request);
      },
    },
    feed: {
      on: (_group, of, listener) => listeners.push([of, listener]),
      onAny: () => undefined,
      start: () => () => undefined,
    },
    owners: createOwnerIndex(),
    clock,
    random: realRandom,
    log: silentLog,
    turns: countingTurns(),
    queues,
  });
  const report = (of: string, object: KubeObject): void => {
    const event = { group: "", plural: of, kind: "added", isFirst: false, previous: undefined } as const;
    for (const [kind, listener] of listeners) if (kind === of) listener({ ...event, object, mentions: () => true });
  };
  for (let index = 0; index < count; index += 1) {
    const spec = { nodeName: `n${index}`, containers: [{ name: "main", image: "none" }] };
    const metadata = { name: `p${index}`, namespace: "shop" };
    report("pods", await create({ apiVersion: "v1", kind: "Pod", metadata, spec }));
  }
  if (plural === "nodes") for (let index = 0; index < count; index += 1) report("nodes", node(index));
  await clock.advance(41_000);
  await Promise.all(queues.map((queue) => queue.whenIdle()));
  expect(queues.reduce((sum, { counts }) => sum + counts.done, 0)).toBeGreaterThanOrEqual(count);
  expect(lists).toEqual([]);
  await controller.stop();
});
