import type { Clock } from "../core/clock.ts";

export interface BackoffLimits {
  /** The first wait before a restart, 10 s as kubelets have it. */
  readonly initialMs: number;
  /** The longest, 5 min. */
  readonly maximumMs: number;
  /** A container that ran this long starts anew, 10 min. */
  readonly resetMs: number;
  /** How long to wait for a missing ConfigMap or Secret before it is read again, 2 s. */
  readonly sourceMs: number;
}

export const kubeletBackoff: BackoffLimits = {
  initialMs: 10_000,
  maximumMs: 300_000,
  resetMs: 600_000,
  sourceMs: 2000,
};

/** The waits of one container: doubling, forgotten after a long enough run. */
export class RestartBackoff {
  readonly #limits: BackoffLimits;
  readonly #clock: Clock;
  #nextMs: number | undefined;
  #lastFailureMs = 0;

  constructor(limits: BackoffLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The wait after a failure. With "first is free" the first of a row costs none, as kubelets restart once at once. */
  afterFailure(ranMs = 0, mode?: "first is free"): number {
    const { initialMs, maximumMs, resetMs } = this.#limits;
    const nowMs = this.#clock.monotonicMs();
    const isForgotten = ranMs >= resetMs || nowMs - this.#lastFailureMs > resetMs + maximumMs;
    this.#lastFailureMs = nowMs;
    if (this.#nextMs === undefined || isForgotten) {
      const isFree = mode !== undefined;
      this.#nextMs = isFree ? initialMs : Math.min(initialMs * 2, maximumMs);
      return isFree ? 0 : initialMs;
    }
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * 2, maximumMs);
    return waitMs;
  }
}
