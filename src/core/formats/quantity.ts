import { ownValue } from "../own-value.ts";
import { trimEndOf } from "../trim-characters.ts";

/** A parsed quantity. Source: Kubernetes API, apimachinery resource.Quantity. */
export interface Quantity {
  /** The value in units of 10^-9. */
  readonly nanos: bigint;
  readonly format: "DecimalSI" | "DecimalExponent" | "BinarySI";
  /** The text as given, where it is canonical enough to be kept as it is. */
  readonly text?: string;
}

export type QuantityError =
  | "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  | "unable to parse quantity's suffix";

const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const unit = 1_000_000_000n;
const maximumInt64 = 2n ** 63n - 1n;
/** No more digits than this are calculated with; the rest of an exponent is out of all use. */
const maximumExponent = 60;

/** Reading and writing a number takes longer for each digit the more it has. Real ones have twenty. */
const mostCharacters = 1_000;

/** The quantity of a text, or the text of what is wrong with it. */
export function parseQuantity(text: string): Quantity | QuantityError {
  const malformed =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" as const;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*|)$/u.exec(text);
  if (text === "" || match === null || text.length > mostCharacters) return malformed;
  const [, sign = "", digits = "", denominator = "", suffix = ""] = match;
  const scale = interpretSuffix(suffix);
  if (scale === undefined) return "unable to parse quantity's suffix";
  const numerator = digits.replace(/^0+/u, "") || "0";
  const mantissa = BigInt(numerator + denominator);
  const magnitude = toNanos(mantissa, denominator.length, scale);
  const isCapped = scale.base === 2 && magnitude > maximumInt64 * unit;
  const nanos = isCapped ? maximumInt64 * unit : magnitude;
  const isSmallBinary = scale.base === 2 && nanos < unit && nanos > 0n;
  const format = isSmallBinary ? "DecimalSI" : scale.format;
  const isKept = text === "0" || isCanonical(numerator, denominator, scale);
  return { nanos: sign === "-" ? -nanos : nanos, format, ...(isKept ? { text } : {}) };
}

/**
 * The power of ten of a quantity that Kubernetes holds as a whole number (`-3` of `1500m`), or undefined of one that it
 * holds as a decimal: with more than about 15 digits, or binary with a fraction. Source: apimachinery, ParseQuantity.
 */
export function wholeScaleOf(text: string): number | undefined {
  const [, digits = "", fraction = "", suffix = ""] = /^[+-]?(\d*)(?:\.(\d*))?([^\d.].*)?$/su.exec(text) ?? [];
  const scale = interpretSuffix(suffix);
  if (scale === undefined) return undefined;
  const length = Math.max(digits.replace(/^0+/u, "").length, 1) + fraction.length;
  if (scale.base === 2) return fraction === "" && length + Math.trunc(scale.exponent * 0.3) <= 14 ? 0 : undefined;
  const shifted = scale.exponent - fraction.length;
  return length <= 18 && shifted >= -9 && shifted <= 18 ? shifted : undefined;
}

/** The canonical text: no fraction, the largest suffix that loses nothing. */
export function formatQuantity(quantity: Quantity): string {
  const { nanos, format, text } = quantity;
  if (text !== undefined) return text;
  if (nanos === 0n) return "0";
  const isBelowBinary = nanos > -1024n * unit && nanos < 1024n * unit;
  if (format === "BinarySI" && !isBelowBinary && nanos % unit === 0n) return formatBinary(nanos / unit);
  // Of the text: to divide a number of many zeros by ten again and again would take hours.
  const all = String(nanos);
  const digits = trimEndOf(all, "0");
  const exact = all.length - digits.length - 9;
  const exponent = Math.floor(exact / 3) * 3;
  const mantissa = digits + "0".repeat(exact - exponent);
  if (format === "DecimalExponent") return exponent === 0 ? mantissa : `${mantissa}e${exponent}`;
  const suffix = Object.keys(decimalExponents).find((key) => ownValue(decimalExponents, key) === exponent);
  return suffix === undefined ? `${mantissa}e${exponent}` : `${mantissa}${suffix}`;
}

export function isQuantityError(value: Quantity | QuantityError): value is QuantityError {
  return typeof value === "string";
}

interface Scale {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: Quantity["format"];
}

function interpretSuffix(suffix: string): Scale | undefined {
  const binary = ownValue(binaryExponents, suffix);
  if (binary !== undefined) return { base: 2, exponent: binary, format: "BinarySI" };
  const decimal = ownValue(decimalExponents, suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: "DecimalSI" };
  const exponent = /^[eE]([+-]?\d+)$/u.exec(suffix)?.[1];
  return exponent === undefined ? undefined : { base: 10, exponent: Number(exponent), format: "DecimalExponent" };
}

/** Rounds away from zero, so that something asked for is never nothing. */
function toNanos(mantissa: bigint, decimals: number, scale: Scale): bigint {
  if (scale.base === 2) {
    const shifted = mantissa * 2n ** BigInt(scale.exponent) * unit;
    return divideUp(shifted, 10n ** BigInt(decimals));
  }
  const exponent = Math.max(-maximumExponent, Math.min(maximumExponent, scale.exponent)) - decimals + 9;
  return exponent >= 0 ? mantissa * 10n ** BigInt(exponent) : divideUp(mantissa, 10n ** BigInt(-exponent));
}

/** With whole thousandths at least, rounded away from zero. */
export function roundedToMilli(quantity: Quantity): Quantity {
  const milli = unit / 1000n;
  const { nanos, format } = quantity;
  if (nanos % milli === 0n) return quantity;
  const magnitude = divideUp(nanos < 0n ? -nanos : nanos, milli) * milli;
  return { nanos: nanos < 0n ? -magnitude : magnitude, format };
}

/** The quotient, rounded up: for amounts from 0 on. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** An API server keeps the text of quantities that are nearly canonical (`1.500`, `+5`). */
function isCanonical(numerator: string, denominator: string, scale: Scale): boolean {
  const digits = numerator + denominator;
  if (scale.base === 2) {
    const precision = 15 - numerator.length - Math.trunc((scale.exponent * 3) / 10) - 1;
    return denominator === "" && precision >= 0 && (BigInt(digits) & 7n) !== 0n;
  }
  const exponent = scale.exponent - denominator.length;
  const isExact = digits.length <= 18 && exponent >= -9;
  return isExact && exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

function formatBinary(value: bigint): string {
  let mantissa = value;
  let exponent = 0;
  while (mantissa % 1024n === 0n && exponent < 60) {
    mantissa /= 1024n;
    exponent += 10;
  }
  const suffix = Object.keys(binaryExponents).find((key) => ownValue(binaryExponents, key) === exponent) ?? "";
  return `${mantissa}${suffix}`;
}
