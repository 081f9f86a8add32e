import { headerOf } from "../http/headers.ts";
import type { AnswerHeaders } from "../http/headers.ts";
import { maximumRetryAfterMs, readRetryAfterMs } from "../http/retry-after.ts";

/** What GitHub asks for where it names no time. */
const defaultWaitMs = 60_000;

/**
 * How long to wait before the next request, or undefined when the answer does not ask for it.
 * Sources: GitHub, "Rate limits for the REST API"; GitLab, "Rate limits", response headers; RFC 9110, Retry-After.
 */
export function readWaitMs(statusCode: number, headers: AnswerHeaders, nowMs: number): number | undefined {
  const retryAfterMs = readRetryAfterMs(headerOf(headers, "retry-after"), nowMs);
  if (retryAfterMs !== undefined && (statusCode === 429 || statusCode === 403 || statusCode >= 500)) {
    return bounded(retryAfterMs);
  }
  const remaining = headerOf(headers, "x-ratelimit-remaining") ?? headerOf(headers, "ratelimit-remaining");
  if (remaining === "0") {
    const reset = headerOf(headers, "x-ratelimit-reset") ?? headerOf(headers, "ratelimit-reset") ?? "";
    return bounded(readReset(reset, nowMs) ?? defaultWaitMs);
  }
  return statusCode === 429 ? defaultWaitMs : undefined;
}

function bounded(waitMs: number): number {
  return Math.min(maximumRetryAfterMs, Math.max(1000, waitMs));
}

/** Seconds since the epoch, or (in the draft of the IETF) from now. */
function readReset(text: string, nowMs: number): number | undefined {
  if (!/^\d{1,12}$/u.test(text)) return undefined;
  const seconds = Number(text);
  return seconds > 1_000_000_000 ? seconds * 1000 - nowMs : seconds * 1000;
}
