import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { keepWatchRecord } from "../../../src/hub/watch-record.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const startMs = 1_800_000_000_000;

interface Given {
  readonly periodMs?: number;
  readonly lease?: KubeObject;
  /** The API server's clock, less the own one. */
  readonly aheadMs?: number;
  /** What it answers at first. */
  readonly refusal?: Error;
}

function leaseOf(spec: object, resourceVersion = "1"): KubeObject {
  const metadata = { namespace: "rollcall-system", name: "rollcall-watch", resourceVersion };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

/** An API server that holds one Lease, and what a daemon that leads asks of it. */
async function lead({ periodMs, lease, aheadMs = 0, refusal }: Given = {}) {
  const clock = createManualClock();
  const hub = { lease, refusal, aheadMs };
  const asked: string[] = [];
  const warned: unknown[] = [];
  const resumed: number[][] = [];
  let version = 10;
  const answer = (verb: string, object?: KubeObject): Promise<KubeObject | undefined> => {
    asked.push(verb);
    if (hub.refusal !== undefined) return Promise.reject(hub.refusal);
    if (object === undefined) return Promise.resolve(hub.lease);
    const time = new Date(clock.nowMs() + hub.aheadMs).toISOString();
    const managedFields = [
      { manager: "another-tool", time: new Date(startMs + 3_600_000).toISOString() },
      { manager: "rollcall-watch", time },
    ];
    hub.lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version), managedFields } };
    return Promise.resolve(hub.lease);
  };
  const write = (verb: string) => async (object: KubeObject, options: { fieldManager: string }) => {
    const written = await answer(`${verb} as ${options.fieldManager}`, object);
    if (written === undefined) throw new Error("nothing written");
    return written;
  };
  const record = await keepWatchRecord({
    hubApi: {
      get: (ref: ObjectRef) => answer(`get ${ref.namespace}/${ref.name}`),
      create: write("create"),
      update: write("update"),
    },
    namespace: "rollcall-system",
    identity: "daemon-1",
    health: { watchedMs: () => clock.monotonicMs(), resume: (...times: number[]) => void resumed.push(times) },
    shortestPeriodMs: () => periodMs,
    witnesses: () => [],
    clock,
    log: { ...silentLog, warn: (_text, fields) => void warned.push(fields?.["error"]) },
  });
  return { stop: () => record.stop(), clock, hub, asked, warned, resumed, spec: () => hub.lease?.["spec"] };
}

describe("keepWatchRecord", () => {
  it("creates the Lease as rollcall-watch, then updates the one that it knows", async () => {
    const { clock, asked, spec, stop } = await lead({ periodMs: 25_000 });
    await clock.advance(5000);
    await stop();
    const update = "update as rollcall-watch";
    expect(asked.slice(0, 4)).toEqual([
      "get rollcall-system/rollcall-watch",
      // Asked once more: another leader may have made it.
      "get rollcall-system/rollcall-watch",
      "create as rollcall-watch",
      update,
    ]);
    expect(new Set(asked.slice(4))).toEqual(new Set([update]));
    expect(spec()).toEqual({
      holderIdentity: "daemon-1",
      acquireTime: "2027-01-15T08:00:00.000000Z",
      renewTime: "2027-01-15T08:00:05.000000Z",
    });
  });

  it.each([
    { reason: "a fifth of the shortest period", periodMs: 25_000, everyMs: 5000 },
    { reason: "a second at the least", periodMs: 1000, everyMs: 1000 },
    { reason: "a minute at the most", periodMs: 600_000, everyMs: 60_000 },
    { reason: "twelve seconds where there is no cluster", periodMs: undefined, everyMs: 12_000 },
  ])("writes again after $reason", async ({ periodMs, everyMs }) => {
    const { clock, asked, stop } = await lead(periodMs === undefined ? {} : { periodMs });
    await clock.advance(0);
    const before = asked.length;
    await clock.advance(everyMs - 1);
    expect(asked).toHaveLength(before);
    await clock.advance(1);
    expect(asked).toHaveLength(before + 1);
    await stop();
  });

  it("writes once more when it is stopped, and nothing after that", async () => {
    const { clock, asked, stop, spec } = await lead({ periodMs: 60_000 });
    await clock.advance(3000);
    const before = asked.length;
    await stop();
    expect(asked).toHaveLength(before + 1);
    expect(spec()).toMatchObject({ renewTime: "2027-01-15T08:00:03.000000Z" });
    await clock.advance(60_000);
    expect(asked).toHaveLength(before + 1);
  });

  it("takes over what the daemon before it watched, by the clock of the API server", async () => {
    const lease = leaseOf({
      holderIdentity: "daemon-0",
      acquireTime: new Date(startMs - 60_000).toISOString(),
      renewTime: new Date(startMs).toISOString(),
    });
    const { resumed, clock, spec, stop } = await lead({ lease, periodMs: 5000, aheadMs: 2000 });
    expect(resumed).toEqual([[62_000, startMs + 2000]]);
    await clock.advance(0);
    expect(spec()).toMatchObject({ holderIdentity: "daemon-1", renewTime: "2027-01-15T08:00:02.000000Z" });
    await stop();
  });

  it("keeps what other programs wrote into the Lease", async () => {
    const { clock, spec, stop } = await lead({ lease: leaseOf({ leaseDurationSeconds: 15 }) });
    await clock.advance(0);
    expect(spec()).toMatchObject({ leaseDurationSeconds: 15, holderIdentity: "daemon-1" });
    await stop();
  });

  it("records no time from before the API server's clock was set", async () => {
    const { clock, hub, spec, stop } = await lead({ periodMs: 5000 });
    await clock.advance(10_000);
    hub.aheadMs = 3001;
    await clock.advance(5000);
    await clock.advance(1000);
    // What was measured before is of the other clock: the record begins with the step, seen at the tenth second.
    expect(spec()).toMatchObject({ acquireTime: expect.stringMatching(/08:00:1[0-8]/u) as string });
    await stop();
  });

  it("reports once that the record cannot be written, and again only when it could be written meanwhile", async () => {
    const { clock, hub, warned, stop } = await lead({ periodMs: 5000 });
    const refusal = new AppError("E_KUBE_FORBIDDEN", "update");
    hub.refusal = refusal;
    await clock.advance(10_000);
    expect(warned).toEqual([refusal]);
    hub.refusal = undefined;
    await clock.advance(5000);
    hub.refusal = refusal;
    await clock.advance(10_000);
    expect(warned).toEqual([refusal, refusal]);
    hub.refusal = undefined;
    await stop();
  });

  it.each(["E_KUBE_CONFLICT", "E_KUBE_EXISTS"] as const)(
    "reads the Lease of another leader anew after %s, without a word",
    async (code) => {
      const { clock, hub, warned, asked, stop } = await lead({ periodMs: 25_000 });
      await clock.advance(0);
      hub.refusal = new AppError(code, "update");
      await clock.advance(5000);
      hub.refusal = undefined;
      asked.length = 0;
      await clock.advance(5000);
      expect(asked).toEqual(["get rollcall-system/rollcall-watch", "update as rollcall-watch"]);
      expect(warned).toEqual([]);
      await stop();
    },
  );

  it("takes over the record later where it could not be read at the start, and writes none before", async () => {
    const lease = leaseOf({
      acquireTime: new Date(startMs - 60_000).toISOString(),
      renewTime: new Date(startMs).toISOString(),
    });
    const refusal = new AppError("E_KUBE_UNREACHABLE", "get");
    const world = await lead({ lease, periodMs: 25_000, refusal });
    await world.clock.advance(4999);
    expect([world.resumed, world.asked.some((verb) => verb.startsWith("update"))]).toEqual([[], false]);
    world.hub.refusal = undefined;
    await world.clock.advance(1);
    expect(world.resumed).toEqual([[65_000, startMs + 5000]]);
    await world.clock.advance(5000);
    expect(world.spec()).toMatchObject({ renewTime: "2027-01-15T08:00:10.000000Z" });
    await world.stop();
  });
});
