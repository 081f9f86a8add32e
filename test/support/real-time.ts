import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../../src/core/clock.ts";
import { sleepFor } from "../../src/core/timer.ts";

/** The machine's clock. */
export const realClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now(), sleep: sleepFor };

export const realRandom: Random = { next: () => Math.random(), bytes: (count) => randomBytes(count) };
