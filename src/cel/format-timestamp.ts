import { formatTime } from "../core/formats/rfc3339.ts";
import { trimEndOf } from "../core/trim-characters.ts";

const second = 1_000_000_000n;

export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** RFC 3339 in UTC with as many decimals as there are. `nanos` since 1970. */
export function formatTimestamp(nanos: bigint): string {
  const seconds = floorDivide(nanos, second);
  const fraction = trimEndOf(String(nanos - seconds * second).padStart(9, "0"), "0");
  const text = formatTime({ seconds: Number(seconds), nanos: 0 });
  return fraction === "" ? text : `${text.slice(0, -1)}.${fraction}Z`;
}
