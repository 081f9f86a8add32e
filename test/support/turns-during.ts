import { createTurns } from "../../src/embedded-hub/operations/turns.ts";
import type { Turns } from "../../src/embedded-hub/operations/turns.ts";

/** Each read of the clock is a millisecond: a slice is ten steps, however long a machine takes for them. */
export function countingTurns(): Turns {
  let nowMs = 0;
  return createTurns(() => ++nowMs);
}

/** How often others on the loop had their turn while some work was done. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ readonly turns: number; readonly outcome: T }> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  try {
    return { outcome: await work(), turns };
  } finally {
    isDone = true;
  }
}
