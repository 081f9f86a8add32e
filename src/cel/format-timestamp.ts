import { formatTime } from "../core/formats/rfc3339.ts";
import { trimEndOf } from "../core/trim-characters.ts";
import type { CelTimestamp } from "./cel-value.ts";

const second = 1_000_000_000n;

export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** RFC 3339 with as many decimals as there are, in the zone of the moment. */
export function formatTimestamp({ nanos, offset = 0 }: CelTimestamp): string {
  const seconds = floorDivide(nanos, second);
  const fraction = trimEndOf(String(nanos - seconds * second).padStart(9, "0"), "0");
  const text = formatTime({ seconds: Number(seconds) + offset, nanos: 0 }).slice(0, -1);
  return `${text}${fraction === "" ? "" : `.${fraction}`}${offset === 0 ? "Z" : formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${offset < 0 ? "-" : "+"}${hour}:${minute}`;
}
