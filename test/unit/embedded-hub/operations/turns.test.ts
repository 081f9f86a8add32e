import { describe, expect, it } from "vitest";
import { serverContext } from "../../../../src/embedded-hub/operations/internal-context.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";

/** Resolves after everything that is queued on the loop now. */
const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("A51 long work in slices", () => {
  it("A51 holds the loop for one slice, however many do long work at once", async () => {
    let nowMs = 0;
    const turns = createTurns(() => nowMs);
    let left = 50;
    const work = async (): Promise<void> => {
      const takeTurn = turns.begin();
      for (let step = 0; step < 20; step += 1) {
        await takeTurn();
        nowMs += 5;
      }
      left -= 1;
    };
    const all = Array.from({ length: 50 }, work);
    // Each of them begins with a step.
    await turnOfLoop();
    while (left > 0) {
      const beforeMs = nowMs;
      await turnOfLoop();
      expect(nowMs - beforeMs).toBeLessThanOrEqual(10);
    }
    await Promise.all(all);
    expect(nowMs).toBe(50 * 20 * 5);
  });

  it("A51 begins no more work in a turn of the loop than it has time for", async () => {
    let nowMs = 0;
    const turns = createTurns(() => nowMs);
    let left = 40;
    const work = async (): Promise<void> => {
      await turns.enter();
      nowMs += 4;
      left -= 1;
    };
    await turns.enter();
    const all: Promise<void>[] = [];
    // Each body is an event of its own, after which what it resolved runs.
    for (let index = 0; index < 40; index += 1) {
      all.push(work());
      await Promise.resolve();
    }
    expect(nowMs).toBe(12);
    while (left > 0) {
      const beforeMs = nowMs;
      await turnOfLoop();
      expect(nowMs - beforeMs).toBeLessThanOrEqual(14);
    }
    await Promise.all(all);
    expect(nowMs).toBe(160);
  });

  it("A51 does short work at once, however much other work waits", async () => {
    let nowMs = 0;
    const turns = createTurns(() => nowMs);
    const longOnes = Array.from({ length: 20 }, () => turns.begin());
    nowMs += 10;
    for (const takeTurn of longOnes) expect(takeTurn()).toBeInstanceOf(Promise);
    const takeTurn = turns.begin();
    nowMs += 0.5;
    expect(takeTurn()).toBeUndefined();
    nowMs += 0.5;
    await expect(takeTurn()).resolves.toBeUndefined();
  });

  it("A51 has ten milliseconds in each turn of the loop, and after each wait", async () => {
    let nowMs = 1000;
    const turns = createTurns(() => nowMs);
    expect(turns.enter()).toBeUndefined();
    nowMs += 9.5;
    expect(turns.enter()).toBeUndefined();
    nowMs += 0.5;
    await expect(turns.enter()).resolves.toBeUndefined();
    await turnOfLoop();
    expect(turns.enter()).toBeUndefined();
    const takeTurn = turns.begin();
    nowMs += 1;
    await expect(takeTurn()).resolves.toBeUndefined();
    nowMs += 9.5;
    expect(takeTurn()).toBeUndefined();
    nowMs += 0.5;
    expect(takeTurn()).toBeInstanceOf(Promise);
  });
});

it("the hub's own writes are no dry runs, and by the user that kube-apiserver is to itself", () => {
  expect(serverContext()).toEqual({
    user: { username: "system:apiserver", groups: ["system:masters"] },
    ...{ fieldManager: "kube-apiserver", isDryRun: false, fieldValidation: "Ignore", warnings: [] },
  });
});
