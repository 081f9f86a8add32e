import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../core/clock.ts";

/** The real time. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  // Most sleeps of a busy daemon are broken off: no error is made for that but the signal's own.
  sleep: (durationMs, signal) =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const onAbort = (): void => {
        end();
        reject(reasonOf(signal));
      };
      const timer = setTimeout(() => {
        end();
        resolve();
      }, durationMs);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort);
    }),
};

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("stopped", { cause: reason });
}

/** Real randomness. */
export const realRandom: Random = {
  next: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
