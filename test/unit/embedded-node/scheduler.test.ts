import { expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { KubeObject } from "../../../src/embedded-node/node-types.ts";
import { createScheduler } from "../../../src/embedded-node/scheduler.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";

interface Scene {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly metadata?: JsonObject;
  /** Of the Node; null: it is not known. */
  readonly node?: JsonObject | null;
  /** How the first binding fails. */
  readonly failure?: "E_KUBE_UNREACHABLE";
}

/** What a scheduler does with one Pod within a minute, as the kinds and reasons of its writes. */
async function schedule({ spec = {}, status = {}, metadata = {}, node = {}, failure }: Scene) {
  const clock = createManualClock();
  const pod: KubeObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u", ...metadata },
    spec,
    status,
  };
  const [bound, patches, events]: [KubeObject[], JsonObject[], string[]] = [[], [], []];
  const scheduler = createScheduler({
    api: {
      create: async (object) => {
        bound.push(object);
        if (failure !== undefined && bound.length === 1) throw new AppError(failure, "no");
        return object;
      },
      mergePatch: async (_, patch, { isStrategic }) => {
        expect(isStrategic).toBe(true);
        patches.push(patch);
        return pod;
      },
    },
    node: () => (node === null ? undefined : { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: node }),
    podOf: (key) => (key === "ns/p" ? pod : undefined),
    events: { write: (_, { type, reason }) => void events.push(`${type} ${reason}`), stop: async () => undefined },
    clock,
    random: fixedRandom(),
    log: silentLog,
  });
  onTestFinished(() => scheduler.stop());
  scheduler.consider(pod);
  await clock.advance(60_000);
  return { bound, patches, events };
}

const message =
  "0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, " +
  "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

it("binds a Pod, with its uid as the precondition, and reports it once it is bound", async () => {
  const { bound, events } = await schedule({ failure: "E_KUBE_UNREACHABLE" });
  const target = { apiVersion: "v1", kind: "Node", name: "n" };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p", namespace: "ns", uid: "u" }, target };
  expect(bound).toEqual([binding, binding]);
  expect(events).toEqual(["Normal Scheduled"]);
});

it.each([
  { reason: "has a node", scene: { spec: { nodeName: "other" } } },
  { reason: "is another scheduler's", scene: { spec: { schedulerName: "own" } } },
  { reason: "is being deleted", scene: { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } } },
  { reason: "comes before the Node is known", scene: { node: null } },
])("writes nothing about a Pod that $reason", async ({ scene }) => {
  expect(await schedule(scene)).toEqual({ bound: [], patches: [], events: [] });
});

it("reports why a Pod cannot run here, and leaves the conditions of others to them", async () => {
  const gate = { type: "example.org/gate", status: "True" };
  const old = { type: "PodScheduled", status: "False", message: "for another reason" };
  const seen = await schedule({ node: { unschedulable: true }, status: { conditions: [old, gate] } });
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastProbeTime: null };
  expect(seen.patches).toEqual([
    { metadata: { uid: "u" }, status: { conditions: [{ ...condition, lastTransitionTime: "2027-01-15T08:00:00Z" }] } },
  ]);
  expect([seen.bound, seen.events]).toEqual([[], ["Warning FailedScheduling"]]);
});

it("reports the same reason no second time", async () => {
  const conditions = [{ type: "PodScheduled", status: "False", message }];
  expect(await schedule({ node: { unschedulable: true }, status: { conditions } })).toEqual({
    bound: [],
    patches: [],
    events: [],
  });
});
