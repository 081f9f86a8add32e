import { describe, expect, it } from "vitest";
import { heartbeatSeries } from "../../../src/agent/send-heartbeats.ts";
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
