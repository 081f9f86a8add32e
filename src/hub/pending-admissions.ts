/**
 * What is only said of a member waits this long at most. Fleet's agents send heartbeats for the first time 15 s after their answer, into
 * a status that has to be there by then.
 */
const mostHeldBackMs = 5000;

export interface PendingAdmissionsOptions {
  /** The hub's clock. */
  readonly nowMs: () => number;
  /** Told of every member that was held back, when nobody waits any more. */
  readonly onCalm: (key: string) => void;
}

/**
 * Agents that were let in and wait for their answer, by key of their member. While one waits, what is only said of those that
 * have theirs (statuses that no agent waits for) comes later: then many that come at once get their answers sooner. Nothing
 * depends on it: who is forgotten here, by a restart, holds nobody back.
 */
export class PendingAdmissions {
  readonly #options: PendingAdmissionsOptions;
  /** Since when each waits, longest first. */
  readonly #waiting = new Map<string, number>();
  /** Since when each was held back. */
  readonly #heldBack = new Map<string, number>();

  constructor(options: PendingAdmissionsOptions) {
    this.#options = options;
  }

  /** An agent was let in: its answer is being made. */
  begin(key: string): void {
    this.#waiting.delete(key);
    this.#waiting.set(key, this.#options.nowMs());
  }

  /** Its answer is there, or there is none to be made. */
  end(key: string): void {
    if (!this.#waiting.delete(key) || this.#waiting.size > 0) return;
    const keys = [...this.#heldBack.keys()];
    this.#heldBack.clear();
    for (const heldBack of keys) this.#options.onCalm(heldBack);
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Milliseconds for which to say nothing of a member yet; 0 when nobody else waits, or it was held back long enough. */
  holdBackMs(key: string): number {
    const nowMs = this.#options.nowMs();
    this.#forgetOverdue(nowMs);
    const others = this.#waiting.size - (this.#waiting.has(key) ? 1 : 0);
    const sinceMs = this.#heldBack.get(key) ?? nowMs;
    const remainingMs = others === 0 ? 0 : sinceMs + mostHeldBackMs - nowMs;
    if (remainingMs <= 0 || sinceMs > nowMs) {
      this.#heldBack.delete(key);
      return 0;
    }
    this.#heldBack.set(key, sinceMs);
    return remainingMs;
  }

  /** An answer that cannot be made keeps nobody waiting; nor does a clock that was put back. */
  #forgetOverdue(nowMs: number): void {
    for (const [key, sinceMs] of this.#waiting)
      if (nowMs - sinceMs >= mostHeldBackMs || sinceMs > nowMs) this.#waiting.delete(key);
  }
}
