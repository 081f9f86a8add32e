import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../core/clock.ts";
import { sleepFor } from "../core/timer.ts";

/** The real time. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: sleepFor,
};

/** Real randomness. */
export const realRandom: Random = {
  next: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
