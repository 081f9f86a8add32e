import { ownValue } from "./own-value.ts";

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** The longest duration that Go has: 2^63 - 1 nanoseconds, some 292 years. */
export const longestDurationMs = 9_223_372_036_854.775;

/**
 * Milliseconds of a Go duration (`1h30m`, `90s`, `0`), or undefined when the text is none, or a longer one than Go has. A sign
 * is accepted, units over hours are not (Go has none). Source: Go, package time, ParseDuration.
 */
export function parseGoDuration(text: string): number | undefined {
  const match = /^([+-]?)(.*)$/su.exec(text);
  const body = match?.[2] ?? "";
  if (body === "0") return 0;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/u.test(body)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of body.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/guy)) {
    totalMs += Number(amount) * (ownValue(unitMs, unit ?? "") ?? 0);
  }
  if (totalMs > longestDurationMs) return undefined;
  return match?.[1] === "-" ? -totalMs : totalMs;
}

/** A short text for people: `45s`, `12m`, `3h5m`, `8d`. */
export function formatAge(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d`;
}
