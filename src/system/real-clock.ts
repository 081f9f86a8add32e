import { randomBytes } from "node:crypto";
import { uptime } from "node:os";
import type { Clock, Random } from "../core/clock.ts";
import { sleepFor } from "../core/timer.ts";

/** The real time. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  // The time since the machine's start counts while it is suspended, and does not change when its clock is set.
  suspendedMs: () => uptime() * 1000 - performance.now(),
  sleep: sleepFor,
};

/** Real randomness. */
export const realRandom: Random = {
  next: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
