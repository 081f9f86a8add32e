import type { Random } from "../core/clock.ts";
import { parseGoDuration } from "../core/formats/go-duration.ts";

/** A shorter interval would ask the git server without a pause. */
const leastMs = 1000;

/**
 * Milliseconds until the branch is read again, by `spec.interval` (default: one minute): up to a tenth more or less, so
 * that daemons do not ask together, and one second at least.
 */
export function reconcileIntervalMs(interval: string | undefined, random: Pick<Random, "next">): number {
  const wantedMs = parseGoDuration(interval ?? "1m") ?? 60_000;
  return Math.max(leastMs, wantedMs * (0.9 + 0.2 * random.next()));
}
