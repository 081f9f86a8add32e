import { trimEndOf } from "../core/trim-characters.ts";

/** A plain scalar as the YAML library of Go reads it, on which the checksum of SOPS depends. */
export type GoScalar =
  | { readonly kind: "null" }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "bool"; readonly value: boolean }
  /** `text` is how SOPS writes the value into its checksum. */
  | { readonly kind: "int" | "float"; readonly value: number; readonly text: string }
  | { readonly kind: "time"; readonly text: string }
  /** Go reads something that SOPS cannot carry (a number over 64 bits). */
  | { readonly kind: "unsupported" };

const words: Readonly<Record<string, GoScalar>> = Object.freeze({
  "": { kind: "null" },
  "~": { kind: "null" },
  null: { kind: "null" },
  Null: { kind: "null" },
  NULL: { kind: "null" },
  true: { kind: "bool", value: true },
  True: { kind: "bool", value: true },
  TRUE: { kind: "bool", value: true },
  false: { kind: "bool", value: false },
  False: { kind: "bool", value: false },
  FALSE: { kind: "bool", value: false },
});

const infinities = /^([-+]?)\.(?:inf|Inf|INF)$/u;
const notANumber = /^\.(?:nan|NaN|NAN)$/u;
const floats = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/u;

/** Source: go.yaml.in/yaml/v3, resolve.go; Go, strconv.ParseInt with base 0. */
export function readGoScalar(source: string): GoScalar {
  const word = Object.hasOwn(words, source) ? words[source] : undefined;
  if (word !== undefined) return word;
  const infinity = infinities.exec(source);
  if (infinity) return floatOf(infinity[1] === "-" ? -Infinity : Infinity);
  if (notANumber.test(source)) return floatOf(Number.NaN);
  if (source.startsWith("."))
    return /^\.\d/u.test(source) && floats.test(source) ? floatOf(Number(source)) : textOf(source);
  if (!/^[-+\d]/u.test(source)) return textOf(source);
  const time = readTime(source);
  if (time !== undefined) return { kind: "time", text: time };
  const plain = source.replaceAll("_", "");
  const integer = readInteger(plain);
  if (integer !== undefined) return integerOf(integer);
  return floats.test(plain) ? floatOf(Number(plain)) : textOf(source);
}

function textOf(value: string): GoScalar {
  return { kind: "string", value };
}

function integerOf(value: bigint): GoScalar {
  if (value < -(2n ** 63n) || value >= 2n ** 63n) return { kind: "unsupported" };
  return { kind: "int", value: Number(value), text: value.toString() };
}

function floatOf(value: number): GoScalar {
  return { kind: "float", value, text: formatGoFloat(value) };
}

/** Decimal, hexadecimal, binary and both kinds of octal (`0o17`, `017`). */
function readInteger(plain: string): bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/u.exec(plain);
  if (!match) return undefined;
  const [, sign, hexadecimal, binary, octal, decimal] = match;
  const prefixed = [hexadecimal && `0x${hexadecimal}`, binary && `0b${binary}`, octal && `0o${octal}`, decimal].find(
    (text) => text !== undefined,
  );
  if (prefixed === undefined) return undefined;
  return sign === "-" ? -BigInt(prefixed) : BigInt(prefixed);
}

/** The shortest digits that give the number again, never with an exponent. Source: Go, strconv.FormatFloat 'f', -1. */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa;
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, "0");
}

/** A time as SOPS writes it (RFC 3339), or undefined when the text is none to Go. */
function readTime(source: string): string | undefined {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?(Z|[-+]\d{2}:\d{2}))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?)?$/u.exec(
      source,
    );
  if (!match) return undefined;
  const [, year = "", month = "", day = "", h1, m1, s1, f1, zone = "Z", h2, m2, s2, f2] = match;
  const two = (text: string | undefined) => (text ?? "0").padStart(2, "0");
  const date = `${year}-${two(month)}-${two(day)}`;
  const clock = `${two(h1 ?? h2)}:${two(m1 ?? m2)}:${two(s1 ?? s2)}`;
  const parsed = new Date(`${date}T${clock}Z`);
  // A day or an hour that does not exist is no time to Go either.
  if (Number.isNaN(parsed.getTime()) || !parsed.toISOString().startsWith(`${date}T${clock}`)) return undefined;
  const fraction = trimEndOf(f1 ?? f2 ?? "", "0");
  return `${date}T${clock}${fraction === "" ? "" : `.${fraction}`}${/^[-+]00:00$/u.test(zone) ? "Z" : zone}`;
}
