/** The longest duration that Go has: 2^63 - 1 nanoseconds, some 292 years. */
export const longestDurationMs = 9_223_372_036_854.775;

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
