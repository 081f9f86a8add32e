import { goFloat } from "../core/formats/go-format.ts";
import { parseGoBool } from "../core/formats/go-bool.ts";
import { parseTime } from "../core/formats/rfc3339.ts";
import type { CelValue } from "./cel-value.ts";
import { CelError, isKind, typeNameOf } from "./cel-value.ts";
import { floorDivide, formatTimestamp } from "./format-timestamp.ts";
import { formatDurationSeconds, parseDurationNanos } from "./go-duration.ts";
import { doubleOf, duration, intOf, textOf, timestamp } from "./library-operators.ts";
import type { Declaration } from "./overload.ts";
import { declare, sizeOf, traversalCost } from "./overload.ts";

const second = 1_000_000_000n;

function nanosOf(value: CelValue | undefined): bigint {
  return value !== undefined && (isKind(value, "timestamp") || isKind(value, "duration")) ? value.nanos : 0n;
}

function inconvertible(type: string): CelError {
  return new CelError(`type conversion error from 'string' to '${type}'`);
}

function parseTimestamp(text: string): CelValue {
  const moment = parseTime(text);
  if ("error" in moment) throw inconvertible("google.protobuf.Timestamp");
  return timestamp(BigInt(moment.seconds) * second + BigInt(moment.nanos), moment.offset);
}

function parseDuration(text: string): CelValue {
  const nanos = parseDurationNanos(text);
  if (nanos === undefined) throw inconvertible("google.protobuf.Duration");
  return duration(nanos);
}

function parseInteger(text: string, range: typeof intRange, type: "int" | "uint"): bigint {
  if (!/^[+-]?\d+$/u.test(text) || (type === "uint" && /^[+-]/u.test(text))) throw inconvertible(type);
  // The time to read digits grows faster than their number: what no integer has is not read.
  const digits = text.replace(/^[+-]?0*/u, "");
  if (digits.length > mostDigits) throw inconvertible(type);
  const value = text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
  if (value < range.minimum || value > range.maximum) throw inconvertible(type);
  return value;
}

/** Of 2^64. */
const mostDigits = 20;
const intRange = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n };
const uintRange = { minimum: 0n, maximum: 2n ** 64n - 1n };

function doubleToInt(value: number, range: typeof intRange): bigint {
  const isUint = range === uintRange;
  if (!Number.isFinite(value)) throw new CelError(isUint ? "unsigned integer overflow" : "integer overflow");
  const whole = BigInt(Math.trunc(value));
  // The least int is refused with what is below it, and of negative numbers none becomes a uint, whatever is cut off.
  const isBelow = isUint ? value < 0 : whole <= range.minimum;
  if (isBelow || whole > range.maximum) {
    throw new CelError(isUint ? "unsigned integer overflow" : "integer overflow");
  }
  return whole;
}

/** A float as Go reads it: `1_000.5`, `0x1.8p1`, `-inf`. Source: Go, strconv.ParseFloat. */
function parseDouble(text: string): number {
  const special = /^([+-]?)(?:inf|infinity)$/iu.exec(text);
  if (special !== null) return special[1] === "-" ? -Infinity : Infinity;
  if (/^nan$/iu.test(text)) return Number.NaN;
  const hasMisplaced = /(?<![0-9a-f]|0x)_|_(?![0-9a-f])/iu.test(text);
  const value = hasMisplaced ? Infinity : parseFloatOf(text.replaceAll("_", ""));
  if (!Number.isFinite(value)) throw inconvertible("double");
  return value;
}

/** Infinity for a text that is no float. */
function parseFloatOf(text: string): number {
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/u.test(text)) return Number(text);
  const hex = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d+)$/iu.exec(text);
  const [, sign, whole = "", fraction = "", exponent] = hex ?? [];
  if (whole + fraction === "") return Infinity;
  const magnitude = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === "-" ? -magnitude : magnitude;
}

function parseBool(text: string): boolean {
  const value = parseGoBool(text);
  if (value === undefined) throw inconvertible("bool");
  return value;
}

function uint(value: bigint, range = uintRange): CelValue {
  if (value < range.minimum || value > range.maximum) throw new CelError("unsigned integer overflow");
  return { kind: "uint", value };
}

function uintOf(value: CelValue | undefined): bigint {
  return value !== undefined && isKind(value, "uint") ? value.value : 0n;
}

function fromBytes(bytes?: CelValue): string {
  const buffer = bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.alloc(0);
  const text = buffer.toString("utf8");
  if (!Buffer.from(text).equals(buffer)) throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
  return text;
}

/** One, and more for a text that is long. An API server takes no notice of the length. */
const ofText = ([text]: readonly CelValue[]): number => 1 + Math.floor(sizeOf(text) / charactersPerUnit);
const charactersPerUnit = 64;

export const conversionLibrary: readonly Declaration[] = [
  declare("bool(bool): bool", (value = null) => value),
  declare("bool(string): bool", (text) => parseBool(textOf(text))),
  declare("bytes(bytes): bytes", (value = null) => value),
  declare(
    "bytes(string): bytes",
    (text) => Buffer.from(textOf(text)),
    (values) => traversalCost(values[0]),
  ),
  declare("double(double): double", (value = null) => value),
  declare("double(int): double", (value) => Number(intOf(value))),
  declare("double(uint): double", (value) => Number(uintOf(value))),
  declare("double(string): double", (text) => parseDouble(textOf(text)), ofText),
  declare("int(int): int", (value = null) => value),
  declare("int(uint): int", (value) => {
    const whole = uintOf(value);
    if (whole > intRange.maximum) throw new CelError("integer overflow");
    return whole;
  }),
  declare("int(double): int", (value) => doubleToInt(doubleOf(value), intRange)),
  declare("int(string): int", (text) => parseInteger(textOf(text), intRange, "int"), ofText),
  declare("int(timestamp): int", (value) => floorDivide(nanosOf(value), second)),
  declare("int(duration): int", (value) => nanosOf(value)),
  declare("uint(uint): uint", (value = null) => value),
  declare("uint(int): uint", (value) => uint(intOf(value))),
  declare("uint(double): uint", (value) => uint(doubleToInt(doubleOf(value), uintRange))),
  declare("uint(string): uint", (text) => uint(parseInteger(textOf(text), uintRange, "uint")), ofText),
  declare("string(string): string", (value = null) => value),
  declare("string(bool): string", (value) => String(value === true)),
  declare("string(int): string", (value) => String(intOf(value))),
  declare("string(uint): string", (value) => String(uintOf(value))),
  declare("string(double): string", (value) => (Object.is(value, -0) ? "-0" : goFloat(doubleOf(value)))),
  declare("string(bytes): string", fromBytes, (values) => traversalCost(values[0])),
  declare("string(timestamp): string", (value = null) => (isKind(value, "timestamp") ? formatTimestamp(value) : "")),
  declare("string(duration): string", (value) => formatDurationSeconds(nanosOf(value))),
  declare("timestamp(timestamp): timestamp", (value = null) => value),
  declare("timestamp(string): timestamp", (text) => parseTimestamp(textOf(text)), ofText),
  declare("timestamp(int): timestamp", (value) => timestamp(intOf(value) * second)),
  declare("duration(duration): duration", (value = null) => value),
  declare(
    "duration(string): duration",
    (text) => parseDuration(textOf(text)),
    (values) => Math.max(1, traversalCost(values[0])),
  ),
  declare("duration(int): duration", () => {
    throw new CelError("type conversion error from 'int' to 'google.protobuf.Duration'");
  }),
  declare("type(A): type<A>", (value = null) => ({ kind: "type", name: typeNameOf(value) })),
  declare("dyn(A): dyn", (value = null) => value),
];
