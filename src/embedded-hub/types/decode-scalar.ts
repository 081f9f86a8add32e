import { wholeNumber } from "../../core/exact-json.ts";
import type { Json } from "../../core/json.ts";
import { describeJsonKind } from "../../core/formats/go-format.ts";
import { formatQuantity, isQuantityError, parseQuantity } from "../../core/formats/quantity.ts";
import { formatMicroTime, formatTime, parseTime } from "../../core/formats/rfc3339.ts";
import type { FieldType, ScalarName } from "./type-registry.ts";

export type DecodedScalar =
  | { readonly value: Json }
  /** `<JSON kind> into <Go type>`, or a whole message where the type reads itself. */
  | { readonly error: string; readonly isWholeMessage?: boolean };

/** How a value came here. */
interface Origin {
  /** The converter takes whole floats for integers; Go's JSON decoder reads the text. */
  readonly words: "json" | "converter";
  /** The text of a number that is written in another way than its value is: `1.0`. */
  readonly literal: string | undefined;
}

/** A JSON value in the canonical form of a scalar. `given` is never null. */
export function decodeScalar(scalar: ScalarName, given: Json, origin: Origin): DecodedScalar {
  switch (scalar) {
    case "string":
      return typeof given === "string" ? { value: given } : misfit(given, "string");
    case "bool":
      return typeof given === "boolean" ? { value: given } : misfit(given, "bool");
    case "int32":
    case "int64":
      return decodeInteger(scalar, given, origin);
    case "double":
      return decodeFloat(given, origin);
    case "bytes":
      return decodeBytes(given);
    case "Time":
    case "MicroTime":
      return decodeTime(scalar, given);
    case "Quantity":
      return decodeQuantity(given, origin);
    case "IntOrString":
      if (typeof given === "string") return { value: given };
      // It reads itself, from JSON.
      return decodeInteger("int32", given, { ...origin, words: "json" });
    case "FieldsV1":
      return { value: given };
    case "RawExtension":
    case "JSON":
      return { value: given };
  }
}

export function zeroOfScalar(scalar: ScalarName): Json {
  switch (scalar) {
    case "string":
    case "bytes":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "double":
    case "IntOrString":
      return 0;
    case "Quantity":
      return "0";
    default:
      return null;
  }
}

export function isZeroScalar(scalar: ScalarName, value: Json): boolean {
  return value === zeroOfScalar(scalar);
}

/** How Go writes the type of a list or map. */
export function typeNameOf(type: FieldType): string {
  switch (type.kind) {
    case "scalar":
      return goNames[type.scalar];
    case "message":
      return `v1.${type.message.slice(type.message.indexOf(".") + 1)}`;
    case "list":
      return `[]${typeNameOf(type.element)}`;
    case "map": {
      const element = typeNameOf(type.element);
      return element === goNames.Quantity ? "v1.ResourceList" : `map[string]${element}`;
    }
  }
}

const goNames: Readonly<Record<ScalarName, string>> = {
  string: "string",
  bool: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
  bytes: "[]uint8",
  Time: "v1.Time",
  MicroTime: "v1.MicroTime",
  Quantity: "resource.Quantity",
  IntOrString: "intstr.IntOrString",
  RawExtension: "runtime.RawExtension",
  FieldsV1: "v1.FieldsV1",
  JSON: "v1.JSON",
};

function misfit(given: Json, goType: string): DecodedScalar {
  return { error: `${describeJsonKind(given)} into ${goType}` };
}

function whole(error: string): DecodedScalar {
  return { error, isWholeMessage: true };
}

function decodeInteger(scalar: "int32" | "int64", given: Json, { words, literal }: Origin): DecodedScalar {
  if (typeof given !== "number" && typeof given !== "bigint") return misfit(given, scalar);
  const refused = { error: `number ${literal ?? given} into ${scalar}` };
  // A float of more than 64 bits may have been another number.
  if (typeof given === "number" && (!Number.isInteger(given) || Math.abs(given) >= 2 ** 63)) return refused;
  // Go reads a whole number from digits alone.
  if (words === "json" && literal !== undefined && !/^-?0$/u.test(literal)) return refused;
  const value = BigInt(given);
  return BigInt.asIntN(scalar === "int32" ? 32 : 64, value) === value ? { value: wholeNumber(value) } : refused;
}

function decodeFloat(given: Json, { literal }: Origin): DecodedScalar {
  if (typeof given !== "number" && typeof given !== "bigint") return misfit(given, "float64");
  const value = Number(given);
  return Number.isFinite(value) ? { value } : { error: `number ${literal ?? given} into float64` };
}

function decodeBytes(given: Json): DecodedScalar {
  if (Array.isArray(given)) return decodeByteList(given as readonly Json[]);
  if (typeof given !== "string") return misfit(given, "[]uint8");
  const text = given.replace(/[\r\n]/gu, "");
  const at = firstBadBase64(text);
  return at === undefined
    ? { value: Buffer.from(text, "base64").toString("base64") }
    : whole(`illegal base64 data at input byte ${at}`);
}

/** Go reads a list of numbers as bytes. */
function decodeByteList(items: readonly Json[]): DecodedScalar {
  const wrong = items.find(
    (item) => item !== null && !(Number.isInteger(item) && Number(item) >= 0 && Number(item) < 256),
  );
  if (wrong !== undefined) return misfit(wrong, "uint8");
  return { value: Buffer.from(items.map(Number)).toString("base64") };
}

/** Where Go's decoder of padded base64 stops, or undefined when the text is good. */
function firstBadBase64(text: string): number | undefined {
  const bad = text.search(/[^A-Za-z0-9+/]/u);
  const digits = bad < 0 ? text.length : bad;
  if (bad >= 0 && text[bad] !== "=") return bad;
  const rest = digits % 4;
  const padding = text.slice(digits);
  if (rest === 0) return padding === "" ? undefined : digits;
  const wanted = rest === 1 ? "" : "=".repeat(4 - rest);
  if (wanted !== "" && padding === wanted) return undefined;
  if (rest === 1) return bad < 0 ? digits - 1 : digits;
  return padding === "" ? digits - rest : digits + Math.min(padding.length, wanted.length);
}

function decodeTime(scalar: "Time" | "MicroTime", given: Json): DecodedScalar {
  if (typeof given !== "string")
    return whole(`json: cannot unmarshal ${describeJsonKind(given)} into Go value of type string`);
  const parsed = parseTime(given, scalar === "MicroTime");
  if ("error" in parsed) return whole(parsed.error);
  // Go's zero time is no time.
  if (parsed.seconds === zeroTimeSeconds && parsed.nanos === 0) return { value: null };
  return { value: scalar === "Time" ? formatTime(parsed) : formatMicroTime(parsed) };
}

/** The first second of the year 1. */
const zeroTimeSeconds = -62_135_596_800;

function decodeQuantity(given: Json, { literal }: Origin): DecodedScalar {
  if (typeof given !== "string" && typeof given !== "number" && typeof given !== "bigint") {
    return whole("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const quantity = parseQuantity((literal ?? String(given)).trim());
  return isQuantityError(quantity) ? whole(quantity) : { value: formatQuantity(quantity) };
}
