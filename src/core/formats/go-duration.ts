import { quoteText } from "./go-text.ts";

const nanosecondsOf: ReadonlyMap<string, bigint> = new Map([
  ...[["ns", 1n] as const, ["us", 1_000n] as const, ["µs", 1_000n] as const, ["μs", 1_000n] as const],
  ...[["ms", 1_000_000n] as const, ["s", 1_000_000_000n] as const],
  ...[["m", 60_000_000_000n] as const, ["h", 3_600_000_000_000n] as const],
]);
/** A number with its unit, which ends where the next number begins. */
const part = /(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<unit>[^\d.]*)/uy;
/** Of 64 bits, one is the sign: the shortest duration has one nanosecond more than the longest. */
const mostNanoseconds = 2n ** 63n;

/**
 * Nanoseconds of a Go duration (`1h30m`, `-1.5s`, `0`), or Go's text for what is wrong with it. Source: Go, package time,
 * ParseDuration.
 */
export function readGoDuration(text: string): bigint | string {
  const invalid = (): string => `time: invalid duration ${quoteText(text)}`;
  const amount = text.replace(/^[-+]/u, "");
  if (amount === "0") return 0n;
  if (amount === "") return invalid();
  let total = 0n;
  for (let at = 0; at < amount.length; at = part.lastIndex) {
    part.lastIndex = at;
    const { whole = "", fraction = "", unit = "" } = part.exec(amount)?.groups ?? {};
    if (whole === "" && fraction === "") return invalid();
    const amountOfUnit = whole.replace(/^0+/u, "");
    if (amountOfUnit.length > 19) return invalid();
    if (unit === "") return `time: missing unit in duration ${quoteText(text)}`;
    const nanoseconds = nanosecondsOf.get(unit);
    if (nanoseconds === undefined) return `time: unknown unit ${quoteText(unit)} in duration ${quoteText(text)}`;
    // More decimals than these are parts of a nanosecond.
    const digits = fraction.slice(0, 18);
    total +=
      BigInt(amountOfUnit || "0") * nanoseconds + (BigInt(digits || "0") * nanoseconds) / 10n ** BigInt(digits.length);
    if (total > mostNanoseconds) return invalid();
  }
  if (text.startsWith("-")) return -total;
  return total === mostNanoseconds ? invalid() : total;
}

/** Go's text for what is wrong with a duration; undefined for one that Go reads. */
export function goDurationFault(text: string): string | undefined {
  const read = readGoDuration(text);
  return typeof read === "string" ? read : undefined;
}

/**
 * Milliseconds of a Go duration (`1h30m`, `90s`, `0`), or undefined when the text is none, or a longer one than Go has. A sign
 * is accepted, units over hours are not (Go has none).
 */
export function parseGoDuration(text: string): number | undefined {
  const nanoseconds = readGoDuration(text);
  return typeof nanoseconds === "string" ? undefined : Number(nanoseconds) / 1e6;
}
