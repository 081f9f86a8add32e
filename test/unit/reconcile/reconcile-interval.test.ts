import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WorkQueue } from "../../../src/core/work-queue.ts";
import { reconcileIntervalMs } from "../../../src/reconcile/reconcile-interval.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";

describe("reconcileIntervalMs", () => {
  it("is the interval, give or take a tenth", () => {
    expect(reconcileIntervalMs(undefined, fixedRandom(0.5))).toBe(60_000);
    expect(reconcileIntervalMs("10m", fixedRandom(0))).toBe(540_000);
    expect(reconcileIntervalMs("876000h", fixedRandom(1))).toBeCloseTo(1.1 * 876_000 * 3_600_000);
  });

  it("is a second at least, from 1 ns to 100 years", () => {
    const intervals = fc.oneof(
      fc.constantFrom("0", "1ns", "1ms", "0h", "999ms"),
      fc.integer({ min: 1, max: 876_000 * 3600 }).map((seconds) => `${seconds}s`),
    );
    fc.assert(
      fc.property(intervals, fc.double({ min: 0, max: 1, noNaN: true }), (interval, jitter) => {
        expect(reconcileIntervalMs(interval, fixedRandom(jitter))).toBeGreaterThanOrEqual(1000);
      }),
    );
  });

  it("makes no loop without a pause of an interval of 1 ms", async () => {
    const clock = createManualClock();
    let looks = 0;
    const queue = new WorkQueue({
      clock,
      random: fixedRandom(),
      onError: () => undefined,
      work: async () => {
        looks += 1;
        return reconcileIntervalMs("1ms", fixedRandom());
      },
    });
    queue.add("run");
    await clock.advance(10_000);
    expect(looks).toBe(11);
    await queue.stop();
  });
});
