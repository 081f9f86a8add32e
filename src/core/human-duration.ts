/** A span of time as tables show it: `90s`, `5m10s`, `3h12m`, `8d`, `2y30d`. Source: apimachinery util/duration. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return withRest(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? withRest(years, "y", days % 365, "d") : `${years}y`;
}

/** The time since a timestamp; `<unknown>` for none. */
export function sinceText(timestamp: string | undefined, nowMs: number): string {
  const atMs = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(atMs) ? "<unknown>" : humanDuration(nowMs - atMs);
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}
