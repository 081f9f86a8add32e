/** Time as a dependency. cli makes the real one; tests make their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves after `durationMs`, or rejects with the signal's reason when it is aborted first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness as a dependency. */
export interface Random {
  /** Uniform in [0, 1); for jitter only. */
  next(): number;
  /** Cryptographically strong bytes. */
  bytes(count: number): Uint8Array;
}
