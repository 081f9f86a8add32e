import type { Clock } from "../../src/core/clock.ts";

export interface ShiftingClock extends Clock {
  /** Time passes at once: sleeps that are shorter end. */
  pass(durationMs: number): void;
}

/** The machine's clock, on which a test can let hours pass. */
export function createShiftingClock(): ShiftingClock {
  let shiftMs = 0;
  const sleepers = new Set<() => void>();
  const nowMs = () => Date.now() + shiftMs;
  return {
    nowMs,
    monotonicMs: () => performance.now() + shiftMs,
    sleep: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const dueMs = nowMs() + durationMs;
        let timer: NodeJS.Timeout | undefined;
        const end = () => {
          clearTimeout(timer);
          sleepers.delete(look);
          signal?.removeEventListener("abort", onAbort);
        };
        const onAbort = () => {
          end();
          reject(signal?.reason as Error);
        };
        const look = () => {
          const leftMs = dueMs - nowMs();
          clearTimeout(timer);
          if (leftMs <= 0) {
            end();
            resolve();
          } else {
            timer = setTimeout(look, Math.min(leftMs, 2 ** 30));
          }
        };
        if (signal?.aborted) return onAbort();
        signal?.addEventListener("abort", onAbort, { once: true });
        sleepers.add(look);
        look();
      }),
    pass(durationMs) {
      shiftMs += durationMs;
      for (const look of [...sleepers]) look();
    },
  };
}
