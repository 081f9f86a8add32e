import { quoteText } from "../core/formats/go-text.ts";
import { isTimeZone } from "../core/formats/time-zones.ts";
import type { CelValue } from "./cel-value.ts";
import { CelError, isKind } from "./cel-value.ts";
import { textOf } from "./library-operators.ts";
import type { Declaration } from "./overload.ts";
import { declare } from "./overload.ts";

/** A moment as a calendar in some zone shows it. */
function inZone(value: CelValue | undefined, zone: string): Date {
  const nanos = value !== undefined && isKind(value, "timestamp") ? value.nanos : 0n;
  const milliseconds = Number(nanos / 1_000_000n) - (nanos % 1_000_000n < 0n ? 1 : 0);
  return new Date(milliseconds + offsetMs(zone, milliseconds));
}

const longestZoneName = 100;
/** A zone by its name is read from the data of the runtime each time: 50 to 130 µs, also for one that it does not know. */
const unitsOfNamedZone = 250;
const mostUnits = 9_999_999;

/** `UTC`, `+02:00`, `-5:30`, or a name of the IANA database. Source: cel-go 0.26, inTimeZone. */
function offsetMs(zone: string, atMs: number): number {
  if (isUniversal(zone)) return 0;
  // No zone has so long a name: Intl would read all of it.
  if (zone.length > longestZoneName) throw unknownZone(zone);
  const colon = zone.indexOf(":");
  if (colon >= 0) {
    const minutes = wholeOf(zone.slice(colon + 1));
    return (wholeOf(zone.slice(0, colon)) * 60 + (zone.startsWith("-") ? -minutes : minutes)) * 60_000;
  }
  if (/^[/\\]|\.\./u.test(zone)) throw new CelError("time: invalid location name");
  if (!isTimeZone(zone)) throw unknownZone(zone);
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const name = format.formatToParts(new Date(atMs)).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  // Before there were time zones, a place was ahead by seconds, too.
  const offset = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/u.exec(name);
  const [hours, minutes, seconds] = [2, 3, 4].map((part) => Number(offset?.[part] ?? 0));
  const magnitude = ((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
  return (offset?.[1] === "-" ? -magnitude : magnitude) * 1000;
}

function isUniversal(zone: string): boolean {
  return zone === "" || zone === "UTC";
}

function costOfZone([, zone]: readonly CelValue[]): number {
  const name = textOf(zone);
  return isUniversal(name) || name.includes(":") || name.length > longestZoneName ? 1 : unitsOfNamedZone;
}

/** A part of a fixed offset; each part may have a sign. Far more than any zone needs is no moment of a calendar. */
function wholeOf(text: string): number {
  const fail = (why: string) => new CelError(() => `strconv.Atoi: parsing ${quoteText(text)}: ${why}`);
  if (!/^[+-]?\d+$/u.test(text)) throw fail("invalid syntax");
  if (Math.abs(Number(text)) > mostUnits) throw fail("value out of range");
  return Number(text);
}

function unknownZone(zone: string): CelError {
  return new CelError(() => `unknown time zone ${zone}`);
}

function dayOfYear(date: Date): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const start = new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start) / 86_400_000);
}

const parts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const durationUnits: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
};

export const timeLibrary: readonly Declaration[] = [
  ...Object.entries(parts).flatMap(([name, part]) => [
    declare(`timestamp.${name}(): int`, (value) => BigInt(part(inZone(value, "")))),
    declare(`timestamp.${name}(string): int`, (value, zone) => BigInt(part(inZone(value, textOf(zone)))), costOfZone),
  ]),
  ...Object.entries(durationUnits).map(([name, unit]) =>
    declare(`duration.${name}(): int`, (value) => nanosOf(value) / unit),
  ),
  declare("duration.getMilliseconds(): int", (value) => nanosOf(value) / 1_000_000n),
];

function nanosOf(value: CelValue | undefined): bigint {
  return value !== undefined && isKind(value, "duration") ? value.nanos : 0n;
}
