import type { Random } from "./clock.ts";

export interface BackoffOptions {
  /** Default 500 ms. */
  readonly initialMs?: number;
  /** Default 5 minutes. */
  readonly maximumMs?: number;
  /** Default 2. */
  readonly factor?: number;
}

/**
 * The wait before try number `attempt` (0 for the first retry): exponential, with full jitter between half and the
 * whole of it, never over the maximum.
 */
export function backoffMs(attempt: number, random: Random, options: BackoffOptions = {}): number {
  const { initialMs = 500, maximumMs = 300_000, factor = 2 } = options;
  const ceilingMs = Math.min(maximumMs, initialMs * factor ** Math.min(attempt, 40));
  return Math.round(ceilingMs * (0.5 + random.next() / 2));
}
