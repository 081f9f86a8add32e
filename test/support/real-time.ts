import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../../src/core/clock.ts";

/** The machine's clock. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (durationMs, signal) =>
    new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, durationMs);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

export const realRandom: Random = { next: () => Math.random(), bytes: (count) => randomBytes(count) };
