/** A moment as RFC 3339 gives it. */
export interface Moment {
  /** Seconds since the epoch. */
  readonly seconds: number;
  readonly nanos: number;
  /** Of the zone that it is written in, in seconds east of UTC. Default 0. */
  readonly offset?: number;
}

/** The moment of a text, or Go's error message for it. */
export function parseTime(text: string, hasMicros = false): Moment | { readonly error: string } {
  const layout = hasMicros ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
  const match =
    /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/u.exec(text) ?? undefined;
  const fail = (rest: string, part: string): { readonly error: string } => ({
    error: `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(part)}`,
  });
  if (match === undefined) return failAtPart(text, fail);
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = match;
  if (hasMicros && fraction.length !== 6) {
    const rest = /^.{19}(.*)$/u.exec(text)?.[1] ?? "";
    return fail(rest, ".000000");
  }
  const ranges: [string | undefined, number, number, string][] = [
    [month, 1, 12, "month"],
    [day, 1, daysOf(Number(year), Number(month)), "day"],
    [hour, 0, 23, "hour"],
    [minute, 0, 59, "minute"],
    [second, 0, 59, "second"],
  ];
  const outOfRange = ranges.find(([value, low, high]) => Number(value) < low || Number(value) > high);
  if (outOfRange) return { error: `parsing time ${JSON.stringify(text)}: ${outOfRange[3]} out of range` };
  const milliseconds = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const date = new Date(milliseconds);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  if (Number(year) < 100) date.setUTCFullYear(Number(year));
  const offset = zoneSeconds(zone);
  return {
    seconds: date.getTime() / 1000 - offset,
    nanos: Number(fraction.slice(0, 9).padEnd(9, "0")),
    ...(offset === 0 ? {} : { offset }),
  };
}

/** `2006-01-02T15:04:05Z`, the fraction dropped. */
export function formatTime({ seconds }: Moment): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** `2006-01-02T15:04:05.000000Z`. */
export function formatMicroTime({ seconds, nanos }: Moment): string {
  const micros = String(Math.floor(nanos / 1000)).padStart(6, "0");
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${micros}Z`;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function zoneSeconds(zone: string): number {
  if (zone === "Z") return 0;
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith("-") ? -seconds : seconds;
}

/** Finds the first part of the layout that the text does not have. */
function failAtPart(
  text: string,
  fail: (rest: string, part: string) => { readonly error: string },
): { readonly error: string } {
  const parts: [RegExp, string][] = [
    [/^\d{4}/u, "2006"],
    [/^-/u, "-"],
    [/^\d{2}/u, "01"],
    [/^-/u, "-"],
    [/^\d{2}/u, "02"],
    [/^T/u, "T"],
    [/^\d{2}/u, "15"],
    [/^:/u, ":"],
    [/^\d{2}/u, "04"],
    [/^:/u, ":"],
    [/^\d{2}(?:[.,]\d+)?/u, "05"],
    [/^(?:Z|[+-]\d{2}:\d{2})/u, "Z07:00"],
  ];
  let rest = text;
  for (const [pattern, part] of parts) {
    const found = pattern.exec(rest);
    if (found === null) return fail(rest, part);
    rest = rest.slice(found[0].length);
  }
  return { error: `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}` };
}
