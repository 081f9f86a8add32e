import { describe, expect, it } from "vitest";
import { runProbeLoop } from "../../../src/embedded-node/probe-loop.ts";
import { RestartBackoff } from "../../../src/embedded-node/restart-backoff.ts";
import type { ProbeKind } from "../../../src/embedded-node/pod-spec.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const defaults = { initialDelayMs: 0, periodMs: 10_000, timeoutMs: 1000, successThreshold: 1, failureThreshold: 3 };

/** Runs a loop whose probe answers with `isWell` of its time (ms after the start). */
async function results(kind: ProbeKind, isWell: (atMs: number) => boolean, forMs: number, changes = {}) {
  const clock = createManualClock();
  const startMs = clock.nowMs();
  const stop = new AbortController();
  const told: string[] = [];
  const asked: number[] = [];
  let failures = 0;
  const running = runProbeLoop({
    kind,
    spec: { ...defaults, action: { kind: "exec", command: [] }, ...changes },
    clock,
    signal: stop.signal,
    probe: async () => {
      const atMs = clock.nowMs() - startMs;
      asked.push(atMs);
      return isWell(atMs) ? { isSuccess: true } : { isSuccess: false, message: "no" };
    },
    onResult: (isSuccess) => told.push(`${clock.nowMs() - startMs}:${isSuccess ? "up" : "down"}`),
    onFailure: () => (failures += 1),
  });
  await clock.advance(forMs);
  stop.abort();
  await running;
  return { told, asked, failures };
}

describe("runProbeLoop", () => {
  it("sees soon that a container is up, then asks once a period", async () => {
    const { told, asked, failures } = await results("readiness", (atMs) => atMs >= 250, 21_000);
    expect(told).toEqual(["300:up"]);
    expect(asked).toEqual([0, 100, 300, 10_300, 20_300]);
    expect(failures).toBe(0);
  });

  it("reports down after as many failures in a row as it is configured with", async () => {
    const { told } = await results("readiness", (atMs) => atMs < 15_000 || atMs >= 55_000, 70_000);
    expect(told).toEqual(["0:up", "40000:down", "60000:up"]);
  });

  it.each([
    { reason: "failures", kind: "liveness", changes: { failureThreshold: 2 }, expected: ["10000:up"] },
    { reason: "successes", kind: "readiness", changes: { successThreshold: 2, failureThreshold: 100 }, expected: [] },
  ] as const)("counts no $reason that are not in a row", async ({ kind, changes, expected }) => {
    const isOdd = (atMs: number) => atMs % 20_000 === 10_000;
    expect((await results(kind, isOdd, 95_000, changes)).told).toEqual(expected);
  });

  it("counts failures of a liveness probe from the first, by its period alone", async () => {
    const { told, asked, failures } = await results("liveness", () => false, 25_000);
    expect(asked).toEqual([0, 10_000, 20_000]);
    expect(told).toEqual(["20000:down"]);
    expect(failures).toBe(3);
  });

  it("waits for the initial delay, and for the success threshold", async () => {
    const { told, asked } = await results("readiness", () => true, 30_000, {
      initialDelayMs: 5000,
      successThreshold: 2,
    });
    expect(asked[0]).toBe(5000);
    expect(told).toEqual(["15000:up"]);
  });

  it("ends a startup probe with its first success", async () => {
    const { told, asked } = await results("startup", () => true, 60_000);
    expect([told, asked]).toEqual([["0:up"], [0]]);
  });
});

describe("RestartBackoff", () => {
  const limits = { initialMs: 10_000, maximumMs: 300_000, resetMs: 600_000, sourceMs: 0 };

  it("restarts once at once, then waits longer and longer, up to its bound", () => {
    const backoff = new RestartBackoff(limits, createManualClock());
    const waits = Array.from({ length: 8 }, () => backoff.afterFailure(0, "first is free"));
    expect(waits).toEqual([0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  it("forgets after a long enough run", () => {
    const backoff = new RestartBackoff(limits, createManualClock());
    for (let failure = 0; failure < 4; failure++) backoff.afterFailure(0, "first is free");
    expect(backoff.afterFailure(600_000, "first is free")).toBe(0);
    expect(backoff.afterFailure(0, "first is free")).toBe(10_000);
  });

  it("waits for the first time too when nothing is free", () => {
    const backoff = new RestartBackoff(limits, createManualClock());
    expect([backoff.afterFailure(), backoff.afterFailure()]).toEqual([10_000, 20_000]);
  });
});
