import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Random } from "../core/clock.ts";

/** The real time. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  sleep: async (durationMs, signal) => {
    signal?.throwIfAborted();
    try {
      await sleep(durationMs, undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted(); // the signal's own reason, as the port promises
      throw error;
    }
  },
};

/** Real randomness. */
export const realRandom: Random = {
  next: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
