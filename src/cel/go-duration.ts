import { readGoDuration } from "../core/formats/go-duration.ts";
import { trimEndOf } from "../core/trim-characters.ts";

/** Nanoseconds of a Go duration (`1h30m`, `-1.5s`), or undefined when the text is none. */
export function parseDurationNanos(text: string): bigint | undefined {
  const read = readGoDuration(text);
  return typeof read === "string" ? undefined : read;
}

const wordyUnits: readonly (readonly [RegExp, bigint])[] = [
  [/^(?:ns|nano.*)$/u, 1n],
  [/^(?:us|µs|micro.*)$/u, 1_000n],
  [/^(?:ms|milli.*)$/u, 1_000_000n],
  [/^(?:s|sec.*)$/u, 1_000_000_000n],
  [/^(?:m|min.*)$/u, 60_000_000_000n],
  [/^(?:h|hr|hour.*)$/u, 3_600_000_000_000n],
  [/^(?:d|day.*)$/u, 86_400_000_000_000n],
  [/^(?:w|wk|week.*)$/u, 604_800_000_000_000n],
];

/** Nanoseconds of a duration in the notation of Scala (`3 days`), which the format "duration" of schemas takes too. */
export function parseWordyDuration(text: string): bigint | undefined {
  const parts = [...text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/gu)].flatMap(([, count = "0", word = ""]) => {
    const unit = wordyUnits.find(([pattern]) => pattern.test(word.toLowerCase()))?.[1];
    return unit === undefined ? [] : [BigInt(count) * unit];
  });
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0n);
}

/** Seconds with as many decimals as there are: how the language writes a duration. */
export function formatDurationSeconds(nanos: bigint): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = trimEndOf(String(magnitude % 1_000_000_000n).padStart(9, "0"), "0");
  const sign = nanos < 0n ? "-" : "";
  return `${sign}${magnitude / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}s`;
}
