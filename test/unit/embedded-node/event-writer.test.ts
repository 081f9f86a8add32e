import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createEventWriter } from "../../../src/embedded-node/event-writer.ts";
import type { NodeEvent } from "../../../src/embedded-node/event-writer.ts";
import type { KubeObject } from "../../../src/embedded-node/node-types.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const started: NodeEvent = { type: "Normal", reason: "Started", message: "Started container main" };

function pod(uid: string): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "ns", uid } };
}

/** A writer at an API server that has the Events, whose names are kept; `gone`: those that have expired. */
function writerWorld() {
  const clock = createManualClock();
  const made: KubeObject[] = [];
  const raised: { name: string; patch: object }[] = [];
  const gone = new Set<string>();
  const api: Pick<KubeApi, "create" | "mergePatch"> = {
    create: async (object) => {
      made.push(object);
      return object;
    },
    mergePatch: async ({ name }, patch) => {
      if (gone.has(name)) throw new AppError("E_KUBE_NOT_FOUND", "no such event");
      raised.push({ name, patch });
      return pod("u");
    },
  };
  const writer = createEventWriter(api, { nodeName: "node", clock, log: silentLog });
  return { writer, clock, made, raised, gone };
}

it("raises the count of an Event that is there", async () => {
  const { writer, clock, made, raised } = writerWorld();
  for (let times = 0; times < 3; times++) writer.write(pod("u"), started);
  await clock.advance(0);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatchObject({
    involvedObject: { kind: "Pod", name: "p", namespace: "ns", uid: "u" },
    source: { component: "kubelet", host: "node" },
    count: 1,
  });
  expect(raised.map(({ name, patch }) => [name, patch])).toEqual(
    [2, 3].map((count) => [made[0]?.metadata.name, { count, lastTimestamp: "2027-01-15T08:00:00Z" }]),
  );
});

it.each([
  { reason: "Pod", about: "other", event: started },
  { reason: "container", about: "u", event: { ...started, fieldPath: "spec.containers{other}" } },
  { reason: "component", about: "u", event: { ...started, component: "default-scheduler" } },
  { reason: "type", about: "u", event: { ...started, type: "Warning" as const } },
  { reason: "reason", about: "u", event: { ...started, reason: "Pulled" } },
  { reason: "message", about: "u", event: { ...started, message: "Started container other" } },
])("makes an Event of its own for another $reason", async ({ about, event }) => {
  const { writer, clock, made, raised } = writerWorld();
  writer.write(pod("u"), started);
  writer.write(pod(about), event);
  await clock.advance(0);
  expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(2);
  expect(raised).toEqual([]);
});

it("makes an Event anew that has expired, and counts it from one", async () => {
  const { writer, clock, made, raised, gone } = writerWorld();
  writer.write(pod("u"), started);
  await clock.advance(0);
  gone.add(made[0]?.metadata.name ?? "");
  writer.write(pod("u"), started);
  writer.write(pod("u"), started);
  await clock.advance(0);
  expect(made.map(({ count }) => count)).toEqual([1, 1]);
  expect(raised).toEqual([
    { name: made[1]?.metadata.name, patch: { count: 2, lastTimestamp: "2027-01-15T08:00:00Z" } },
  ]);
});

it("drops what comes faster than 200 Events are written, and nothing after that", async () => {
  const { writer, clock, made } = writerWorld();
  for (let index = 0; index < 300; index++) writer.write(pod(`u${index}`), started);
  await clock.advance(0);
  await writer.stop();
  expect(made.length).toBe(200);
});

it("forgets the oldest of more than 512 Events, and makes it anew", async () => {
  const { writer, clock, made, raised } = writerWorld();
  for (let index = 0; index <= 512; index++) {
    writer.write(pod(`u${index}`), started);
    if (index % 100 === 0) await clock.advance(0);
  }
  await clock.advance(0);
  writer.write(pod("u512"), started);
  writer.write(pod("u0"), started);
  await clock.advance(0);
  expect(made.length).toBe(514);
  expect(raised.map(({ name }) => name)).toEqual([made[512]?.metadata.name]);
});
