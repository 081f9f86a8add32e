import { backoffMs } from "../core/backoff.ts";
import type { BackoffOptions } from "../core/backoff.ts";
import type { Clock, Random } from "../core/clock.ts";
import { describeError, isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Constant text: what failed. */
  readonly failure: string;
  /** Default: from 500 ms to 5 minutes. */
  readonly backoff?: BackoffOptions;
}

/** Does the work until it succeeds, waiting longer after each failure. Rejects only when the signal is aborted. */
export async function untilDone<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, log, signal, failure, backoff } = options;
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const waitMs = backoffMs(attempt, random, backoff);
      log.warn(failure, { error: describeError(error), attempt: attempt + 1, waitMs });
      await clock.sleep(waitMs, signal);
    }
  }
}

/** 401 and 403: a matter of credentials. Nothing else ever is. */
export function isCredentialProblem(error: unknown): boolean {
  return isAppError(error, "E_KUBE_UNAUTHORIZED", "E_KUBE_FORBIDDEN");
}

/** Sleeps; false when the signal was aborted meanwhile. */
export async function sleptFor(clock: Clock, durationMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(durationMs, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** A hub that may be away; another part of this agent may be the first to find that it is back. */
export interface RecoveringHub {
  readonly clock: Clock;
  readonly link: { onRecovery(listener: () => void): () => void };
}

/**
 * Sleeps, but ends at once when another part of this agent finds that the hub is back: delays grow until then. False
 * when the signal was aborted meanwhile.
 */
export async function sleptUntilRecovery(
  { clock, link }: RecoveringHub,
  durationMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const recovered = new AbortController();
  const stopListening = link.onRecovery(() => recovered.abort());
  try {
    await sleptFor(clock, durationMs, AbortSignal.any([signal, recovered.signal]));
  } finally {
    stopListening();
  }
  return !signal.aborted;
}
