import { goFloat } from "../core/formats/go-format.ts";
import { quoteText } from "../core/formats/go-text.ts";
import type { CelList, CelMap, CelValue } from "./cel-value.ts";
import { CelError, isKind, itemsOf, typeNameOf } from "./cel-value.ts";
import type { Clause, ClauseVerb } from "./format-template.ts";
import { clauseMisfit, fillTemplate } from "./format-template.ts";
import { formatDurationSeconds } from "./go-duration.ts";
import { formatTimestamp } from "./format-timestamp.ts";
import { toExponentialEven, toFixedEven } from "./round-decimal.ts";

const defaultPrecision = 6;

/** `"%s has %d items".format([name, count])`. Source: cel-go 0.26, ext strings version 2. */
export function formatString(template: string, values: readonly CelValue[]): string {
  return fillTemplate(template, values.length, (clause, index) => writeClause(clause, values[index] ?? null)).text;
}

function writeClause({ verb, precision = defaultPrecision }: Clause, value: CelValue): string {
  switch (verb) {
    case "s":
      return writeText(value);
    case "d":
      return writeWhole(verb, value, 10);
    case "f":
      return groupThousands(numberOf(verb, value), precision);
    case "e":
      return writeScientific(numberOf(verb, value));
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : writeWhole(verb, value, 2);
    case "o":
      return writeWhole(verb, value, 8);
    case "x":
    case "X": {
      const isBinary = typeof value === "string" || value instanceof Uint8Array;
      const hex = isBinary ? Buffer.from(value).toString("hex") : writeWhole(verb, value, 16);
      return verb === "X" ? hex.toUpperCase() : hex;
    }
  }
}

function misfit(verb: ClauseVerb, value: CelValue): CelError {
  return new CelError(() => `error during formatting: ${clauseMisfit(verb, typeNameOf(value))}`);
}

function writeWhole(verb: ClauseVerb, value: CelValue, radix: number): string {
  if (typeof value === "bigint") return value.toString(radix);
  if (isKind(value, "uint")) return value.value.toString(radix);
  throw misfit(verb, value);
}

function numberOf(verb: ClauseVerb, value: CelValue): number {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  throw misfit(verb, value);
}

/** As people who speak English write numbers. */
function groupThousands(value: number, precision: number): string {
  if (!Number.isFinite(value)) return infinite(value);
  const [whole = "", fraction] = toFixedEven(value, precision).split(".");
  const grouped = groupDigits(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function groupDigits(whole: string): string {
  const groups: string[] = [];
  let end = whole.length;
  for (; /^\d{4}$/u.test(whole.slice(end - 4, end)); end -= 3) groups.unshift(whole.slice(end - 3, end));
  return [whole.slice(0, end), ...groups].join(",");
}

function infinite(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "∞" : "-∞";
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** `1.234500×10⁰³`, and six characters of what is not finite. An API server takes no notice of the precision here. */
function writeScientific(value: number): string {
  if (!Number.isFinite(value)) return infinite(value).padStart(6);
  const [mantissa = "", exponent = ""] = toExponentialEven(value, defaultPrecision).split("e");
  const digits = exponent.replace(/^[+-]/u, "").padStart(2, "0");
  const raised = [...digits].map((digit) => superscripts[Number(digit)]).join("");
  return `${mantissa}×10${exponent.startsWith("-") ? "⁻" : ""}${raised}`;
}

function writeText(value: CelValue): string {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return writeBytes(value);
  if (typeof value === "number") return goFloat(value);
  if (typeof value !== "object") return String(value);
  switch (value.kind) {
    case "list":
      return writeList(value);
    case "map":
      return writeMap(value);
    case "uint":
      return String(value.value);
    case "duration":
      return formatDurationSeconds(value.nanos);
    case "timestamp":
      return formatTimestamp(value);
    case "type":
      return value.name;
    default:
      throw misfit("s", value);
  }
}

function writeBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  const why = "invalid UTF-8 in bytes, cannot convert to string";
  throw new CelError(`error during formatting: could not convert argument "${why}" to string`);
}

function writeList(list: CelList): string {
  return `[${itemsOf(list).map(writeLiteral).join(", ")}]`;
}

function writeMap(map: CelMap): string {
  const entries = map.keys.map((key) => [writeLiteral(key), writeLiteral(map.get(key) ?? null)] as const);
  const sorted = entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

/** A value within another: as one would write it in an expression. */
function writeLiteral(value: CelValue): string {
  if (typeof value === "string") return quoteText(value);
  if (value instanceof Uint8Array) return `b${quoteText(writeText(value))}`;
  if (typeof value === "number") {
    return Number.isFinite(value) ? toFixedEven(value, defaultPrecision) : JSON.stringify(goFloat(value));
  }
  if (isKind(value, "timestamp")) return `timestamp("${formatTimestamp(value)}")`;
  if (isKind(value, "duration")) return `duration("${formatDurationSeconds(value.nanos)}")`;
  if (isKind(value, "opaque") || isKind(value, "object") || isKind(value, "optional"))
    throw new CelError(() => `error during formatting: no formatting function for ${typeNameOf(value)}`);
  return writeText(value);
}
