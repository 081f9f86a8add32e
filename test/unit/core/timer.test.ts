import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sleepFor, startTimer, withDeadline } from "../../../src/core/timer.ts";
import { WorkQueue } from "../../../src/core/work-queue.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";

const yearMs = 365 * 86_400_000;

describe("startTimer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("fires once, never early and within a millisecond, after any time from 1 ms to 100 years", () => {
    const lengths = fc.oneof(
      fc.integer({ min: 1, max: 100 * yearMs }),
      fc.integer({ min: -3, max: 3 }).map((by) => 2 ** 31 - 1 + by),
      fc.double({ min: 1, max: 1e6, noNaN: true }),
    );
    fc.assert(
      fc.property(lengths, (delayMs) => {
        vi.useFakeTimers({ now: 0 });
        let calls = 0;
        startTimer(delayMs, () => calls++);
        vi.advanceTimersByTime(Math.ceil(delayMs) - 1);
        expect(calls).toBe(0);
        vi.advanceTimersByTime(1);
        expect(calls).toBe(1);
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });

  it.each([0, -1, -1e12, Number.NEGATIVE_INFINITY])("fires as soon as possible for %d ms", (delayMs) => {
    let calls = 0;
    startTimer(delayMs, () => calls++);
    expect(calls).toBe(0);
    vi.advanceTimersByTime(0);
    expect(calls).toBe(1);
  });

  it("never fires for Infinity, and fires at most every 24 days", () => {
    let calls = 0;
    const cancel = startTimer(Infinity, () => calls++);
    vi.advanceTimersByTime(1000 * yearMs);
    expect(calls).toBe(0);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("refuses NaN instead of waiting for no time at all", async () => {
    expect(() => startTimer(Number.NaN, () => undefined)).toThrow("NaN");
    await expect(sleepFor(Number.NaN)).rejects.toMatchObject({ code: "E_BUG" });
  });

  it("is cancelled in each of its parts", () => {
    for (const afterMs of [0, 1000, 2 ** 31, 2 ** 33]) {
      const cancel = startTimer(yearMs, () => expect.unreachable());
      vi.advanceTimersByTime(afterMs);
      cancel();
      vi.advanceTimersByTime(2 * yearMs);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("sleeps until the signal is aborted, and leaves no timer behind", async () => {
    const stop = new AbortController();
    const sleep = sleepFor(30 * 86_400_000, stop.signal);
    stop.abort(new Error("enough"));
    await expect(sleep).rejects.toThrow("enough");
    await expect(sleepFor(1, stop.signal)).rejects.toThrow("enough");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a work queue on the real timer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("reconciles a token with a ttl over 24.8 days once, not in a loop", async () => {
    const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now(), sleep: sleepFor };
    let runs = 0;
    const work = async (): Promise<number> => (runs++, 720 * 3_600_000);
    const queue = new WorkQueue({ clock, random: fixedRandom(), work, onError: () => expect.unreachable() });
    queue.add("token");
    await vi.advanceTimersByTimeAsync(719 * 3_600_000);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(runs).toBe(2);
    await queue.stop();
  });

  it("reports work that asks to be done again in NaN milliseconds, and backs off", async () => {
    const clock = createManualClock();
    const errors: unknown[] = [];
    const work = async (): Promise<number> => Number.NaN;
    const queue = new WorkQueue({ clock, random: fixedRandom(), work, onError: (_key, error) => errors.push(error) });
    queue.add("token");
    await queue.whenIdle();
    expect(errors).toMatchObject([{ code: "E_BUG" }]);
    await queue.stop();
  });
});

describe("withDeadline", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([1, 1000, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 100 * yearMs])(
    "aborts after %d ms and never before",
    async (durationMs) => {
      let end: (() => void) | undefined;
      let signal: AbortSignal | undefined;
      const worked = withDeadline(durationMs, (deadline) => {
        signal = deadline;
        return new Promise<void>((resolve) => (end = resolve));
      });
      vi.advanceTimersByTime(durationMs - 1);
      expect(signal?.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      expect(signal?.reason).toMatchObject({ name: "TimeoutError" });
      end?.();
      await worked;
    },
  );

  it("leaves no timer when the work ends or fails before", async () => {
    expect(await withDeadline(yearMs, () => Promise.resolve(7))).toBe(7);
    await expect(withDeadline(yearMs, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(vi.getTimerCount()).toBe(0);
  });
});
