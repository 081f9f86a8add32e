import { expect, it } from "vitest";
import { takeTurns } from "../../../../src/git/wire/take-turns.ts";

/** Holds the loop for so long. */
function workFor(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}

it("waits for the next turn after some milliseconds of work, and not before", async () => {
  const turns = takeTurns("work", 60_000);
  let isOver = false;
  setImmediate(() => (isOver = true));
  workFor(9);
  await turns.pass();
  expect(isOver).toBe(true);
  expect(turns.pass()).toBeUndefined();
});

it("fails after a turn when the work takes longer than it may, or its signal is aborted", async () => {
  const turns = takeTurns("read a pack", 5);
  workFor(9);
  await expect(turns.pass()).rejects.toMatchObject({ code: "E_UNSUPPORTED", data: { maximumMs: 5 } });
  const reason = new Error("stopped");
  const stopped = takeTurns("read a pack", 60_000, AbortSignal.abort(reason));
  workFor(9);
  await expect(stopped.pass()).rejects.toBe(reason);
});
