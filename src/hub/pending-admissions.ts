/**
 * Longest delay of a status that no agent waits for. Fleet's agents send their first heartbeat 15 s after their answer,
 * into a status that must exist by then.
 */
const mostHeldBackMs = 5000;

export interface PendingAdmissionsOptions {
  /** The hub's clock. */
  readonly nowMs: () => number;
  /** Called for every member that was delayed, when no agent waits any more. */
  readonly onCalm: (key: string) => void;
}

/**
 * Admitted agents that wait for their answer, by key of their member. While one waits, statuses that no agent waits for
 * are written later, so that many agents that join at once get their answers sooner. It is an optimization only: a
 * member that a restart forgets here delays no other.
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

  /** An agent was admitted: its answer is being made. */
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

  /** Milliseconds to delay a member's status; 0 when no other agent waits, or it was delayed long enough. */
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

  /** An answer that cannot be made blocks no other member; nor does a clock that was set back. */
  #forgetOverdue(nowMs: number): void {
    for (const [key, sinceMs] of this.#waiting)
      if (nowMs - sinceMs >= mostHeldBackMs || sinceMs > nowMs) this.#waiting.delete(key);
  }
}
