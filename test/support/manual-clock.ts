import type { Clock, Random } from "../../src/core/clock.ts";

export interface ManualClock extends Clock {
  /** Lets time pass: sleeps end in their order, and what each starts runs before the next one ends. */
  advance(durationMs: number): Promise<void>;
  /** Sets the time and ends no sleep, as when a user sets the machine's clock. */
  jump(durationMs: number): void;
  /** Lets time pass while the process is suspended: what slept that long ends late, at the end of it. */
  suspend(durationMs: number): Promise<void>;
  /** Lets time pass while the machine sleeps: its timers and its monotonic clock stand still. */
  sleepMachine(durationMs: number): void;
  /** Lets time pass before any sleep ends. */
  range(durationMs: number): void;
  readonly sleepers: number;
}

/** A clock that stands still until the test moves it. */
export function createManualClock(): ManualClock {
  let wallMs = 1_800_000_000_000;
  let elapsedMs = 0;
  let suspendedMs = 0;
  const sleepers = new Set<{ dueMs: number; enqueue: () => void }>();
  return {
    nowMs: () => wallMs,
    monotonicMs: () => elapsedMs,
    suspendedMs: () => suspendedMs,
    sleep: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper = {
          dueMs: elapsedMs + durationMs,
          enqueue: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        sleepers.add(sleeper);
      }),
    async advance(durationMs) {
      const endMs = elapsedMs + durationMs;
      await settle();
      for (let next = nextOf(sleepers); next !== undefined && next.dueMs <= endMs; next = nextOf(sleepers)) {
        wallMs += Math.max(0, next.dueMs - elapsedMs);
        elapsedMs = Math.max(elapsedMs, next.dueMs);
        next.enqueue();
        await settle();
      }
      wallMs += endMs - elapsedMs;
      elapsedMs = endMs;
      await settle();
    },
    jump(durationMs) {
      wallMs += durationMs;
    },
    sleepMachine(durationMs) {
      wallMs += durationMs;
      suspendedMs += durationMs;
    },
    async suspend(durationMs) {
      this.range(durationMs);
      await this.advance(0);
    },
    range(durationMs) {
      wallMs += durationMs;
      elapsedMs += durationMs;
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}

/** A clock on which every sleep is over at once; it remembers how long the sleeps would have been. */
export function createInstantClock(): Clock & { readonly sleepsMs: number[] } {
  let nowMs = 1_800_000_000_000;
  const sleepsMs: number[] = [];
  return {
    sleepsMs,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    async sleep(durationMs, signal) {
      signal?.throwIfAborted();
      sleepsMs.push(durationMs);
      nowMs += durationMs;
      await settle();
      signal?.throwIfAborted();
    },
  };
}

/** Jitter that is always `value`. */
export function fixedRandom(value = 0.5): Random {
  return { next: () => value, bytes: (count) => new Uint8Array(count) };
}

/** Runs everything that is ready to run: promises and what they start, without waiting for time or network. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function nextOf(sleepers: ReadonlySet<{ dueMs: number; enqueue: () => void }>) {
  return [...sleepers].sort((a, b) => a.dueMs - b.dueMs)[0];
}
