import type { Clock } from "./clock.ts";

interface Remembered<T> {
  readonly value: Promise<T>;
  readonly untilMs: number;
}

/** Answers that stay true for a short time, by key. What fails is not remembered; at most `most` are. */
export class ShortMemory<T> {
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #most: number;
  readonly #known = new Map<string, Remembered<T>>();

  constructor(clock: Clock, { keptMs, most }: { readonly keptMs: number; readonly most: number }) {
    this.#clock = clock;
    this.#keptMs = keptMs;
    this.#most = most;
  }

  /** The answer for `key`; asked once for all who want it at the same time. */
  async recall(key: string, ask: () => Promise<T>): Promise<T> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(key);
    if (known && known.untilMs > nowMs) return known.value;
    this.#known.delete(key);
    const value = ask();
    const entry = { value, untilMs: nowMs + this.#keptMs };
    this.#known.set(key, entry);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
    try {
      return await value;
    } catch (error) {
      if (this.#known.get(key) === entry) this.#known.delete(key);
      throw error;
    }
  }
}
