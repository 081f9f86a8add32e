/** No server is waited for longer than this: a header may be wrong. */
export const maximumRetryAfterMs = 3_600_000;

/**
 * The time that a `retry-after` header asks to wait, in milliseconds, at most an hour; undefined when there is none, or
 * none that can be read. A date counts only with `nowMs`. Source: RFC 9110, 10.2.3.
 */
export function readRetryAfterMs(header: string | undefined, nowMs?: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/u.test(header)) return Math.min(maximumRetryAfterMs, Number(header) * 1000);
  // Date.parse takes "-1" for a year.
  const isDate = nowMs !== undefined && /^[A-Z][a-z]{2,8},? /u.test(header);
  const atMs = isDate ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) || nowMs === undefined
    ? undefined
    : Math.min(maximumRetryAfterMs, Math.max(0, atMs - nowMs));
}
