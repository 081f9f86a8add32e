/** A moment as RFC 3339 gives it. */
export interface Moment {
  /** Seconds since the epoch. */
  readonly seconds: number;
  readonly nanos: number;
  /** Of the zone that it is written in, in seconds east of UTC. Default 0. */
  readonly offset?: number;
}

const plainShape = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/u;
const microShape = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})[.,](\d{6})(?:Z|([+-])(\d{2}):(\d{2}))$/u;

/** The moment of a text, or Go's error message for it. */
export function parseTime(text: string, hasMicros = false): Moment | { readonly error: string } {
  const match = (hasMicros ? microShape : plainShape).exec(text);
  if (match === null) return { error: faultOfShape(text, hasMicros) };
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = match.slice(7);
  // In the order in which Go checks them.
  const ranges: readonly (readonly [value: number, least: number, most: number, what: string])[] = [
    [month, 1, 12, "month"],
    [hour, 0, 23, "hour"],
    [minute, 0, 59, "minute"],
    [second, 0, 59, "second"],
    [Number(zoneHour), 0, 24, "time zone offset hour"],
    [Number(zoneMinute), 0, 60, "time zone offset minute"],
    [day, 1, daysOf(year, month), "day"],
  ];
  const outOfRange = ranges.find(([value, least, most]) => value < least || value > most);
  if (outOfRange) return { error: `parsing time ${JSON.stringify(text)}: ${outOfRange[3]} out of range` };
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const offset = (Number(zoneHour) * 3600 + Number(zoneMinute) * 60) * (sign === "-" ? -1 : 1);
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
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; the calendar repeats itself after 400 years.
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/** Names the first part of the layout that the text does not have. */
function faultOfShape(text: string, hasMicros: boolean): string {
  const layout = hasMicros ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
  const seconds: [RegExp, string][] = hasMicros
    ? [
        [/^\d{2}/u, "05"],
        [/^[.,]\d{6}/u, ".000000"],
      ]
    : [[/^\d{2}(?:[.,]\d+)?/u, "05"]];
  const parts: [RegExp, string][] = [
    [/^\d{4}/u, "2006"],
    [/^-/u, "-"],
    [/^\d{2}/u, "01"],
    [/^-/u, "-"],
    [/^\d{2}/u, "02"],
    [/^T/u, "T"],
    [/^\d{1,2}/u, "15"],
    [/^:/u, ":"],
    [/^\d{2}/u, "04"],
    [/^:/u, ":"],
    ...seconds,
    [/^(?:Z|[+-]\d{2}:\d{2})/u, "Z07:00"],
  ];
  let rest = text;
  for (const [pattern, part] of parts) {
    const found = pattern.exec(rest);
    if (found === null)
      return `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(part)}`;
    rest = rest.slice(found[0].length);
  }
  return `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`;
}
