import { setMaxListeners } from "node:events";
import { backoffMs } from "./backoff.ts";
import type { Clock, Random } from "./clock.ts";
import { AppError } from "./errors.ts";

/** Why a planned try does not come: another one took its place. One for all, since there are many. */
const superseded = new Error("superseded");

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Keys worked on at the same time. Default 1. */
  readonly concurrency?: number;
  /**
   * The work for one key. It may throw: the key is tried again with back-off. It may return milliseconds after which
   * the key is due again.
   */
  readonly work: (key: string, signal: AbortSignal) => Promise<number | undefined | void>;
  /** Called with the error of every failed try; the queue itself never logs. */
  readonly onError: (key: string, error: unknown, retryInMs: number) => void;
}

/** The state of a queue: keys waiting and worked on now; pieces of work done and failed so far. */
export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly done: number;
  readonly failed: number;
}

/**
 * A queue of keys with the rules of client-go's workqueue: a key waits at most once, is never worked on twice at the
 * same time, and a key added while it is worked on is worked on once more afterwards. Failures back off per key.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #active = new Set<string>();
  readonly #again = new Set<string>();
  /** How many of the active keys wait for another system. */
  #aside = 0;
  readonly #failures = new Map<string, number>();
  readonly #due = new Map<string, { atMs: number; abort: AbortController }>();
  readonly #stop = new AbortController();
  readonly #holds = new Set<symbol>();
  #idle: (() => void)[] = [];
  #done = 0;
  #failed = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    // One signal ends all work, and each piece of it listens more than once.
    setMaxListeners(0, this.#stop.signal);
  }

  get counts(): QueueCounts {
    return { waiting: this.#waiting.size, active: this.#active.size, done: this.#done, failed: this.#failed };
  }

  /** Asks for work on `key` now. */
  add(key: string): void {
    if (this.#stop.signal.aborted) return;
    this.#due.get(key)?.abort.abort(superseded);
    this.#due.delete(key);
    if (this.#active.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#startWork();
  }

  /** Asks for work on `key` after `delayMs`; an earlier request for the same key wins. */
  addAfter(key: string, delayMs: number): void {
    if (delayMs <= 0) return this.add(key);
    const { clock } = this.#options;
    const atMs = clock.monotonicMs() + delayMs;
    const planned = this.#due.get(key);
    if (this.#stop.signal.aborted || this.#waiting.has(key) || (planned && planned.atMs <= atMs)) return;
    planned?.abort.abort(superseded);
    const abort = new AbortController();
    this.#due.set(key, { atMs, abort });
    clock.sleep(delayMs, abort.signal).then(
      () => this.add(key),
      () => undefined, // aborted: an earlier request took over, or the queue stopped
    );
  }

  /** Resolves when nothing waits and nothing is worked on (keys due later do not count). */
  async whenIdle(): Promise<void> {
    if (this.#waiting.size === 0 && this.#active.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Starts no more work until the function that it returns is called; running work continues. Holds add up. */
  hold(): () => void {
    const hold = Symbol();
    this.#holds.add(hold);
    return () => {
      this.#holds.delete(hold);
      this.#startWork();
    };
  }

  /**
   * For a call of another system in the work on a key, which may take minutes: another key is worked on meanwhile. It is for the
   * caller to bound how many there are. The call must not throw before it returns its promise.
   */
  aside<T>(call: () => Promise<T>): Promise<T> {
    this.#aside++;
    this.#startWork();
    return call().finally(() => this.#aside--);
  }

  /** Stops: no new work starts, running work gets its signal aborted and is waited for. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#waiting.clear();
    this.#again.clear();
    for (const { abort } of this.#due.values()) abort.abort();
    this.#due.clear();
    await this.whenIdle();
  }

  #startWork(): void {
    const { concurrency = 1 } = this.#options;
    if (this.#holds.size > 0) return;
    for (const key of this.#waiting) {
      if (this.#active.size - this.#aside >= concurrency) return;
      this.#waiting.delete(key);
      this.#active.add(key);
      void this.#workOn(key);
    }
  }

  async #workOn(key: string): Promise<void> {
    const { work, onError, random } = this.#options;
    try {
      const againInMs = await work(key, this.#stop.signal);
      if (Number.isNaN(againInMs)) throw new AppError("E_BUG", `${key} is due again in NaN milliseconds`);
      this.#failures.delete(key);
      this.#done += 1;
      if (typeof againInMs === "number") this.addAfter(key, againInMs);
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        const failures = this.#failures.get(key) ?? 0;
        this.#failures.set(key, failures + 1);
        this.#failed += 1;
        const retryInMs = backoffMs(failures, random, { initialMs: 200, maximumMs: 60_000 });
        onError(key, error, retryInMs);
        this.addAfter(key, retryInMs);
      }
    } finally {
      this.#active.delete(key);
      if (this.#again.delete(key)) this.#waiting.add(key);
      this.#startWork();
      if (this.#active.size === 0 && this.#waiting.size === 0) {
        const idle = this.#idle;
        this.#idle = [];
        for (const resolve of idle) resolve();
      }
    }
  }
}
