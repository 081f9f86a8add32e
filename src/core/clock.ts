/** Time as a dependency. cli makes the real one; tests make their own. */
export interface Clock {
  /** Milliseconds since the epoch by the machine's clock. It may be set at any time: it measures no duration. */
  nowMs(): number;
  /** Milliseconds since some moment of this process, by a clock that is never set: differences of it are durations. */
  monotonicMs(): number;
  /**
   * Differences of it are the time for which the machine was suspended: `monotonicMs` may stop meanwhile. Default: it
   * does not.
   */
  suspendedMs?(): number;
  /**
   * Resolves after `durationMs`, or rejects with the signal's reason when it is aborted first. Any length of time is
   * allowed; NaN rejects with E_BUG.
   */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness as a dependency. */
export interface Random {
  /** Uniform in [0, 1); for jitter only. */
  next(): number;
  /** Cryptographically strong bytes. */
  bytes(count: number): Uint8Array;
}
