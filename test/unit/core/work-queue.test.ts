import { describe, expect, it } from "vitest";
import { WorkQueue } from "../../../src/core/work-queue.ts";
import type { WorkQueueOptions } from "../../../src/core/work-queue.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { seededRandom } from "../../support/seeded-random.ts";

function openQueue(work: WorkQueueOptions["work"], concurrency = 2) {
  const clock = createManualClock();
  const errors: { key: string; retryInMs: number }[] = [];
  const queue = new WorkQueue({
    clock,
    random: { next: seededRandom(1), bytes: (count) => new Uint8Array(count) },
    concurrency,
    work,
    onError: (key, _error, retryInMs) => errors.push({ key, retryInMs }),
  });
  return { clock, errors, queue };
}

/** Work that ends when the test ends it. */
function steps() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (key: string): Promise<void> => {
    started.push(key);
    return new Promise((resolve) => ends.set(key, resolve));
  };
  return { started, work, end: (key: string) => ends.get(key)?.() };
}

describe("a work queue", () => {
  it("works on so many keys at once, and on one key never twice at once", async () => {
    const { started, work, end } = steps();
    const { queue } = openQueue(work);
    for (const key of ["a", "b", "c", "a", "c"]) queue.add(key);
    expect(started).toEqual(["a", "b"]);
    expect(queue.counts).toMatchObject({ waiting: 1, active: 2 });
    end("b");
    await expect.poll(() => started).toEqual(["a", "b", "c"]);
    end("a");
    await expect.poll(() => started).toEqual(["a", "b", "c", "a"]);
    end("c");
    end("a");
    await queue.whenIdle();
    expect(queue.counts).toMatchObject({ waiting: 0, active: 0, done: 4 });
  });

  it("A208 works on another key while one waits for another system, and on no more once that has answered", async () => {
    const { started, work, end } = steps();
    let answer: (text: string) => void = () => undefined;
    const answered = new Promise<string>((resolve) => (answer = resolve));
    const answers: string[] = [];
    const { queue } = openQueue(async (key) => {
      if (key === "slow") answers.push(await queue.aside(() => answered));
      await work(key);
    }, 1);
    for (const key of ["slow", "a", "slow", "b"]) queue.add(key);
    expect(started).toEqual(["a"]);
    end("a");
    await expect.poll(() => started).toEqual(["a", "b"]);
    answer("answered");
    await expect.poll(() => started).toEqual(["a", "b", "slow"]);
    queue.add("c");
    end("b");
    await expect.poll(() => queue.counts.done).toBe(2);
    expect(started).toEqual(["a", "b", "slow"]);
    end("slow");
    await expect.poll(() => started).toEqual(["a", "b", "slow", "c"]);
    end("c");
    end("slow");
    await expect.poll(() => started.at(-1)).toBe("slow");
    end("slow");
    await queue.whenIdle();
    expect(answers).toEqual(["answered", "answered"]);
  });

  it("tries a failed key again, later and later, and forgets the failures with a success", async () => {
    const outcomes = [false, false, true, false];
    const { clock, errors, queue } = openQueue(async () => {
      if (outcomes.shift() === false) throw new Error("no");
    });
    queue.add("a");
    await clock.advance(60_000);
    expect(errors).toHaveLength(2);
    expect(errors[1]?.retryInMs).toBeGreaterThan(errors[0]?.retryInMs ?? Infinity);
    queue.add("a");
    await clock.advance(60_000);
    expect(errors[2]?.retryInMs).toBeLessThan(errors[1]?.retryInMs ?? 0);
    expect(queue.counts).toMatchObject({ failed: 3 });
    await queue.stop();
  });

  it("plans no key twice: the earliest request counts, also where the key waits already", async () => {
    const { started, work, end } = steps();
    const { clock, queue } = openQueue(work, 1);
    queue.addAfter("a", 0);
    expect(started).toEqual(["a"]);
    queue.addAfter("b", 3000);
    queue.addAfter("b", 1000);
    await clock.advance(1000);
    queue.addAfter("b", 10);
    expect([queue.counts.waiting, clock.sleepers]).toEqual([1, 0]);
    end("a");
    await expect.poll(() => started).toEqual(["a", "b"]);
    end("b");
    await queue.whenIdle();
    expect(clock.sleepers).toBe(0);
  });

  it("is idle once nothing waits and nothing is worked on", async () => {
    const { started, work, end } = steps();
    const { queue } = openQueue(work, 2);
    await queue.whenIdle();
    let isIdle = false;
    for (const key of ["a", "b", "c"]) queue.add(key);
    const idle = queue.whenIdle().then(() => (isIdle = true));
    for (const key of ["a", "b"]) {
      end(key);
      await expect.poll(() => queue.counts.done).toBe(started.indexOf(key) + 1);
      expect(isIdle).toBe(false);
    }
    end("c");
    await idle;
  });

  it("takes it for a failure when work is due again at no time", async () => {
    const { errors, queue } = openQueue(async () => Number.NaN);
    queue.add("a");
    await queue.whenIdle();
    expect(errors).toHaveLength(1);
    await queue.stop();
  });

  it("works on a key again when the work asked for it, and the earlier of two requests wins", async () => {
    const times: number[] = [];
    const { clock, queue } = openQueue(async () => {
      times.push(clock.nowMs());
      return times.length === 1 ? 5000 : undefined;
    });
    const start = clock.nowMs();
    queue.addAfter("a", 1000);
    queue.addAfter("a", 3000);
    await clock.advance(20_000);
    expect(times.map((time) => time - start)).toEqual([1000, 6000]);
    await queue.stop();
  });

  it("takes up nothing while it is held, and everything afterwards", async () => {
    const { started, work, end } = steps();
    const { queue } = openQueue(work);
    queue.add("a");
    const release = queue.hold();
    const releaseToo = queue.hold();
    queue.add("b");
    end("a");
    await expect.poll(() => queue.counts.done).toBe(1);
    release();
    release();
    expect(started).toEqual(["a"]);
    releaseToo();
    expect(started).toEqual(["a", "b"]);
    end("b");
    await queue.whenIdle();
  });

  it("stops: aborts what runs and waits for it, and takes up nothing more", async () => {
    const started: string[] = [];
    const { clock, errors, queue } = openQueue(async (key, signal) => {
      started.push(key);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.resolve();
      started.push(`end of ${key}`);
      throw new Error("stopped");
    }, 1);
    queue.add("a");
    queue.add("b");
    await queue.stop();
    queue.add("c");
    queue.addAfter("d", 1000);
    expect(started).toEqual(["a", "end of a"]);
    expect(queue.counts).toEqual({ waiting: 0, active: 0, done: 0, failed: 0 });
    expect([clock.sleepers, errors]).toEqual([0, []]);
  });
});
