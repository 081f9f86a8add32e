import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { heartbeatSeries, sendHeartbeats } from "../../../src/agent/send-heartbeats.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const periodMs = 60_000;

describe("heartbeatSeries", () => {
  it("lasts as long as heartbeats follow each other, whatever the wall clock reads", async () => {
    const clock = createManualClock();
    const series = heartbeatSeries(clock);
    await clock.advance(periodMs);
    expect(series.heldMs(periodMs)).toBe(0);
    for (let heartbeats = 0; heartbeats < 10; heartbeats++) {
      series.recordHeartbeat();
      clock.jump(-3_600_000);
      await clock.advance(1.1 * periodMs);
    }
    expect(series.heldMs(periodMs)).toBe(11 * periodMs);
  });

  it.each([
    { reason: "the hub was away", waitMs: 2 * periodMs, pass: "advance" as const },
    { reason: "the process was suspended", waitMs: 3_600_000, pass: "suspend" as const },
    { reason: "the machine was suspended, and its monotonic clock", waitMs: 3_600_000, pass: "jump" as const },
  ])("begins anew after $reason", async ({ waitMs, pass }) => {
    const clock = createManualClock();
    const series = heartbeatSeries(clock);
    series.recordHeartbeat();
    await clock.advance(periodMs);
    series.recordHeartbeat();
    await clock[pass](waitMs);
    expect(series.heldMs(periodMs)).toBe(0);
    series.recordHeartbeat();
    await clock.advance(periodMs);
    expect(series.heldMs(periodMs)).toBe(periodMs);
  });
});

describe("sendHeartbeats", () => {
  it.each([0, -1, 0.001, 1e308])(
    "A145 waits a minute between two when the hub names a period of %d s, and no other",
    async (heartbeatPeriodSeconds) => {
      const stop = new AbortController();
      const sleeps: number[] = [];
      const context = {
        clock: {
          ...createManualClock(),
          sleep: (durationMs: number) => {
            sleeps.push(durationMs);
            if (sleeps.length === 3) stop.abort();
            return Promise.resolve();
          },
        },
        random: { next: () => 0.5 },
        log: silentLog,
        settings: { podName: "agent" },
        secrets: { identity: { workspace: "fleet", membership: { clusterName: "eu-1", heartbeatPeriodSeconds } } },
        link: {
          onRecovery: () => () => undefined,
          call: (work: (api: object) => Promise<unknown>) =>
            work({ mergePatch: () => Promise.resolve({ metadata: {} }) }),
        },
      } as unknown as AgentContext;
      await sendHeartbeats(context, stop.signal);
      expect(sleeps).toEqual([60_000, 60_000, 60_000]);
    },
  );
});
