import type { Json } from "../../core/json.ts";
import { wholeNumber } from "../../core/exact-json.ts";
import { goFloat } from "../../core/formats/go-format.ts";

const words: ReadonlyMap<string, Json> = new Map<string, Json>([
  ...spellings(true, ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]),
  ...spellings(false, ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]),
  ...spellings(null, ["", "~", "null", "Null", "NULL"]),
  ...spellings(Number.NaN, [".nan", ".NaN", ".NAN"]),
  ...spellings(Number.POSITIVE_INFINITY, [".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"]),
  ...spellings(Number.NEGATIVE_INFINITY, ["-.inf", "-.Inf", "-.INF"]),
]);

function spellings(value: Json, texts: readonly string[]): [string, Json][] {
  return texts.map((text) => [text, value]);
}

/**
 * What a plain scalar of YAML means to kube-apiserver: YAML 1.1 (`no` is false, `0640` is 416, `1_000` is 1000), dates
 * stay text. Infinity and NaN come as numbers, which JSON does not have. Source: sigs.k8s.io/yaml, goyaml.v2, resolve.
 */
export function resolveYamlScalar(text: string): Json {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/u.test(text)) return text;
  const plain = text.replaceAll("_", "");
  const integer = readInteger(plain);
  if (integer !== undefined) return wholeNumber(integer);
  const value = readFloat(plain);
  if (value === undefined) return text;
  // It is written as JSON before it is read as an object: whole floats become integers.
  return Number.isInteger(value) && Math.abs(value) < leastWithExponent ? wholeNumber(BigInt(String(value))) : value;
}

/** A plain scalar as the key of a map; undefined for null, which can be none. */
export function resolveYamlKey(text: string): string | undefined {
  const value = resolveYamlScalar(text);
  if (value === null) return undefined;
  if (typeof value === "boolean" || typeof value === "bigint") return value.toString();
  if (typeof value !== "number") return text;
  if (Number.isFinite(value)) return readInteger(text.replaceAll("_", ""))?.toString() ?? goFloat(value);
  return Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
}

/** A scalar with a tag of YAML's own; undefined for a value that the tag does not fit. */
export function resolveYamlTag(tag: string, text: string): Json | undefined {
  const value = resolveYamlScalar(text);
  switch (tag.replace(/^tag:yaml\.org,2002:/u, "")) {
    case "int":
    case "float":
      return typeof value === "number" || typeof value === "bigint" ? value : undefined;
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "null":
      return value === null ? null : undefined;
    case "binary":
      return Buffer.from(text, "base64").toString("utf8");
    default:
      return text;
  }
}

/**
 * Text that would be read as something else, unless it is quoted. Dates and numbers of base 60 are among them, which only other
 * readers of YAML 1.1 take for such.
 */
export function needsQuotes(text: string): boolean {
  return text === "<<" || resolveYamlScalar(text) !== text || isDate(text) || isBase60(text);
}

/** Source: goyaml.v2, resolve, parseTimestamp; whether there is such a day does not matter. */
function isDate(text: string): boolean {
  return /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?$/u.test(text);
}

/** Source: goyaml.v2, encode, isBase60Float. */
function isBase60(text: string): boolean {
  return /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/u.test(text);
}

/** Go writes larger floats with an exponent. */
const leastWithExponent = 1e21;

/** A number that is too large for a float stays text. */
function readFloat(plain: string): number | undefined {
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/u.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

/** Longer ones have more than 64 bits in every base. */
const longestInteger = 80;
const leastInteger = -(2n ** 63n);
const mostInteger = 2n ** 64n - 1n;

/** Go's ParseInt and ParseUint with base 0: `0x`, `0o`, `0b`, or octal behind a zero. */
function readInteger(text: string): bigint | undefined {
  if (text.length > longestInteger) return undefined;
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/su.exec(text) ?? [];
  const value = unsignedOf(digits.toLowerCase());
  if (value === undefined) return undefined;
  const signed = sign === "-" ? -value : value;
  const most = sign === "" ? mostInteger : 2n ** 63n - 1n;
  return signed >= leastInteger && signed <= most ? signed : undefined;
}

function unsignedOf(digits: string): bigint | undefined {
  if (/^(?:0|[1-9]\d*|0x[\da-f]+|0o[0-7]+|0b[01]+)$/u.test(digits)) return BigInt(digits);
  return /^0[0-7]+$/u.test(digits) ? BigInt(`0o${digits.slice(1)}`) : undefined;
}
