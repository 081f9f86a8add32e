import type { Turns } from "../operations/turns.ts";

/**
 * Starts the work on each item, in slices of turns of the loop, and waits for all of it: writes that are started together share
 * a trip to the disk. Resolves with what failed.
 */
export async function eachInTurns<T>(
  turns: Turns,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const takeTurn = turns.begin();
  const failures: unknown[] = [];
  const started: Promise<unknown>[] = [];
  for (const item of items) {
    await takeTurn();
    started.push(work(item).catch((error: unknown) => failures.push(error)));
  }
  await Promise.all(started);
  return failures;
}
