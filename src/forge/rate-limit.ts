/** Headers of an answer, by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** No forge is waited for longer than this: a header may be wrong. */
const maximumWaitMs = 3_600_000;
/** What GitHub asks for where it names no time. */
const defaultWaitMs = 60_000;

export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/**
 * How long to wait before the next request, or undefined when the answer does not ask for it.
 * Sources: GitHub, "Rate limits for the REST API"; GitLab, "Rate limits", response headers; RFC 9110, Retry-After.
 */
export function readWaitMs(statusCode: number, headers: AnswerHeaders, nowMs: number): number | undefined {
  const retryAfterMs = readRetryAfter(headerOf(headers, "retry-after"), nowMs);
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
  return Math.min(maximumWaitMs, Math.max(1000, waitMs));
}

function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs - nowMs;
}

/** Seconds since the epoch, or (in the draft of the IETF) from now. */
function readReset(text: string, nowMs: number): number | undefined {
  if (!/^\d{1,12}$/u.test(text)) return undefined;
  const seconds = Number(text);
  return seconds > 1_000_000_000 ? seconds * 1000 - nowMs : seconds * 1000;
}
