import type { Json } from "../json.ts";
import { canonicalJson, isJsonObject } from "../json.ts";
import { quoteText } from "./go-text.ts";

// An API server puts decoded values into its messages the way Go prints them; clients and tests match on those.

/** How Go names the type of a decoded JSON value (`%T`). */
export function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

/** What Go's JSON decoder calls a value in its errors. */
export function describeJsonKind(value: Json): string {
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return isJsonObject(value) ? "object" : typeof value;
}

/** How Go names the kind of a decoded JSON value. */
export function goKind(value: Json): string {
  if (Array.isArray(value)) return "slice";
  return isJsonObject(value) ? "map" : goType(value);
}

/** A value as Go prints it with `%v`: `map[a:1 b:[x y]]`. */
export function goText(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (typeof value !== "object") return String(value);
  if (!isJsonObject(value)) return `[${value.map(goText).join(" ")}]`;
  const entries = keysOf(value).map((key) => `${key}:${goText(value[key] ?? null)}`);
  return `map[${entries.join(" ")}]`;
}

/** A value as Go prints it with `%#v`. */
export function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "number") return goNumber(value);
  if (typeof value !== "object") return typeof value === "string" ? quoteText(value) : String(value);
  if (!isJsonObject(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  const entries = keysOf(value).map((key) => `${quoteText(key)}:${goSyntax(value[key] ?? null)}`);
  return `map[string]interface {}{${entries.join(", ")}}`;
}

/** A value as JSON that Go wrote: keys in order, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  return escapeGoJson(canonicalJson(value));
}

/** JSON with the characters escaped that Go escapes in it. */
export function escapeGoJson(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A number as Go prints it: an integer in full, a float with an exponent when it is under 1e-4 or not under 1e6. */
export function goNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : goFloat(value);
}

/** A number that Go holds as a float, whole ones too. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function keysOf(value: Readonly<Record<string, Json | undefined>>): string[] {
  return Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
}
