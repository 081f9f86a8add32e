import { describe, expect, it } from "vitest";
import { Scheduler } from "../../simulation/scheduler.ts";
import { createTrace } from "../../simulation/trace.ts";

/** A node that stands still until 600 s, with events at 100, 200 and 700 s; `endsAtMs`: when that is ended. */
async function runUntilEnd(endsAtMs: number): Promise<readonly string[]> {
  const scheduler = new Scheduler(1, createTrace(undefined));
  const [node, people] = [scheduler.addNode("daemon"), scheduler.addNode("people")];
  const seen: string[] = [];
  for (const atMs of [100_000, 200_000, 700_000])
    scheduler.startTimer(node, atMs, () => void seen.push(`${atMs} at ${scheduler.elapsedMs}`));
  node.resumesAtMs = 600_000;
  scheduler.send(people, endsAtMs, "a fault ends", () => scheduler.resume(node));
  await scheduler.run(1_000_000);
  // Events of one moment come in any order.
  return seen.sort();
}

describe("a process that is paused", () => {
  it("continues at its time", async () => {
    expect(await runUntilEnd(600_000)).toEqual(["100000 at 600000", "200000 at 600000", "700000 at 700000"]);
  });

  it("continues at once when the standstill is ended before its time", async () => {
    expect(await runUntilEnd(150_000)).toEqual(["100000 at 150000", "200000 at 200000", "700000 at 700000"]);
  });
});
