import { quoteText } from "./go-text.ts";

const nanosecondsOf: ReadonlyMap<string, bigint> = new Map([
  ...[["ns", 1n] as const, ["us", 1_000n] as const, ["µs", 1_000n] as const, ["μs", 1_000n] as const],
  ...[["ms", 1_000_000n] as const, ["s", 1_000_000_000n] as const],
  ...[["m", 60_000_000_000n] as const, ["h", 3_600_000_000_000n] as const],
]);
/** A number with its unit, which ends where the next number begins. */
const part = /(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<unit>[^\d.]*)/uy;

/** Go's text for what is wrong with a duration; undefined for one that Go reads. Source: Go, time.ParseDuration. */
export function goDurationFault(text: string): string | undefined {
  const invalid = `time: invalid duration ${quoteText(text)}`;
  const amount = text.replace(/^[-+]/u, "");
  if (amount === "0") return undefined;
  if (amount === "") return invalid;
  let total = 0n;
  for (let at = 0; at < amount.length; at = part.lastIndex) {
    part.lastIndex = at;
    const { whole = "", fraction = "", unit = "" } = part.exec(amount)?.groups ?? {};
    if (whole === "" && fraction === "") return invalid;
    if (whole.replace(/^0+/u, "").length > 19) return invalid;
    if (unit === "") return `time: missing unit in duration ${quoteText(text)}`;
    const nanoseconds = nanosecondsOf.get(unit);
    if (nanoseconds === undefined) return `time: unknown unit ${quoteText(unit)} in duration ${quoteText(text)}`;
    total += BigInt(whole === "" ? "0" : whole) * nanoseconds;
    if (total >= 2n ** 63n) return invalid;
  }
  return undefined;
}
