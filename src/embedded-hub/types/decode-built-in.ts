import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { compareText } from "../schema/compare-text.ts";
import { describeJsonKind, goKind, goType } from "../../core/formats/go-format.ts";
import { decodeScalar, isZeroScalar, typeNameOf, zeroOfScalar } from "./decode-scalar.ts";
import { isUnionMessage } from "./schema-of.ts";
import type { FieldType, MessageField, MessageType } from "./type-registry.ts";
import { messageType } from "./type-registry.ts";

export interface DecodedBuiltIn {
  /** As the server writes it: fields in order, empty ones left out, quantities and times in canonical form. */
  readonly object: JsonObject;
  /** `spec.foo`, `spec.containers[0].bar`: in the order of the document. */
  readonly unknownFields: readonly string[];
  /** The first value that has a wrong type, as Go's JSON decoder reports it; the object is then incomplete. */
  readonly error?: string;
}

/** The wording for a value with a wrong type: that of Go's JSON decoder, or of the converter of decoded values. */
export type DecodingWords = "json" | "converter";

export interface DecodingOptions {
  /** Default: those of Go's JSON decoder. */
  readonly words?: DecodingWords;
  /** Numbers that the JSON text writes in another way than their value is, by path. */
  readonly literals?: ReadonlyMap<string, string> | undefined;
}

interface Walk {
  readonly unknownFields: string[];
  readonly words: DecodingWords;
  readonly literals: ReadonlyMap<string, string> | undefined;
  error?: string;
  /** True when the error is one that ends decoding: it counts before any of the others. */
  isFatal?: boolean;
}

interface Place {
  /** With indexes, for unknown fields. */
  readonly path: string;
  /** The name of the message that is being read and the fields on the way, for errors. */
  readonly struct: string;
  readonly stack: readonly string[];
}

/**
 * Reads a JSON object by the message type and writes it again as an API server would: unknown and empty fields are
 * dropped. apiVersion and kind are kept. Source: Kubernetes, decoding of built-in kinds.
 */
export function decodeBuiltIn(
  message: MessageType,
  value: JsonObject,
  { words = "json", literals }: DecodingOptions = {},
): DecodedBuiltIn {
  const walk: Walk = { unknownFields: [], words, literals };
  const place = { path: "", struct: shortName(message.name), stack: [] };
  const { apiVersion, kind, ...fields } = value;
  const object = {
    ...(typeof kind === "string" && kind !== "" ? { kind } : {}),
    ...(typeof apiVersion === "string" && apiVersion !== "" ? { apiVersion } : {}),
    ...readMessage(walk, message, fields, place),
  };
  return { object, unknownFields: walk.unknownFields, ...(walk.error === undefined ? {} : { error: walk.error }) };
}

function shortName(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

interface FlatField {
  readonly field: MessageField;
}

/** Fields of a message by JSON name, those of inlined messages among them; made once for each message. */
const flatFields = new Map<string, ReadonlyMap<string, FlatField>>();

function flatFieldsOf(message: MessageType): ReadonlyMap<string, FlatField> {
  const known = flatFields.get(message.name);
  if (known !== undefined) return known;
  const result = new Map<string, FlatField>();
  for (const field of message.fields) {
    if (field.isInline && field.type.kind === "message") {
      for (const [name, inner] of flatFieldsOf(messageType(field.type.message))) result.set(name, inner);
    } else {
      result.set(field.name, { field });
    }
  }
  flatFields.set(message.name, result);
  return result;
}

/** Reads in the order of the document: so findings come. Writes in the order of the type. */
function readMessage(walk: Walk, message: MessageType, value: JsonObject, place: Place): JsonObject {
  const fields = flatFieldsOf(message);
  const read = new Map<string, Json | undefined>();
  for (const [name, given] of Object.entries(value)) {
    if (given === undefined) continue;
    const path = place.path === "" ? name : `${place.path}.${name}`;
    const field = fields.get(name)?.field;
    if (field === undefined) walk.unknownFields.push(path);
    else read.set(name, readField(walk, field, given, { ...place, path, stack: [...place.stack, name] }));
  }
  const result: Record<string, Json> = {};
  for (const [name, { field }] of fields) {
    const written = read.has(name) ? read.get(name) : emptyField(walk, field, place);
    if (written !== undefined) result[name] = written;
  }
  return result;
}

/** What is written for a field; undefined when it is left out. */
function readField(walk: Walk, field: MessageField, given: Json, place: Place): Json | undefined {
  if (given === null) return emptyField(walk, field, place);
  const value = readValue(walk, field.type, given, place);
  if (value === null && field.type.kind === "message") return emptyField(walk, field, place);
  if (field.isPointer || field.isAlwaysWritten) return value;
  return isLeftOut(field, value) ? undefined : value;
}

function emptyField(walk: Walk, field: MessageField, place: Place): Json | undefined {
  const { type } = field;
  if (field.isPointer || type.kind === "list" || type.kind === "map") return field.isAlwaysWritten ? null : undefined;
  if (type.kind === "message" && !isUnionMessage(type.message)) {
    return field.isOmittedWhenZero ? undefined : readMessage(walk, messageType(type.message), {}, place);
  }
  if (type.kind === "message") return null;
  const zero = zeroOfScalar(type.scalar);
  const isStruct = typeof zero !== "string" && typeof zero !== "number" && typeof zero !== "boolean";
  const isWritten = field.isAlwaysWritten || isStruct || type.scalar === "Quantity" || type.scalar === "IntOrString";
  if (type.scalar === "bytes") return field.isAlwaysWritten ? null : undefined;
  return isWritten && !field.isOmittedWhenZero ? zero : undefined;
}

function isLeftOut(field: MessageField, value: Json): boolean {
  switch (field.type.kind) {
    case "scalar": {
      const { scalar } = field.type;
      // Structs of Go are written even when they are empty.
      if (scalar === "Time" || scalar === "MicroTime") return field.isOmittedWhenZero && value === null;
      return scalar !== "Quantity" && scalar !== "IntOrString" && isZeroScalar(scalar, value);
    }
    case "message":
      return false;
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      return isJsonObject(value) && Object.keys(value).length === 0;
  }
}

function readValue(walk: Walk, type: FieldType, given: Json, place: Place): Json {
  switch (type.kind) {
    case "scalar": {
      if (type.scalar === "JSON" && walk.literals !== undefined) refuseInfinity(walk, given, place.path);
      const decoded = decodeScalar(type.scalar, given, { words: walk.words, literal: walk.literals?.get(place.path) });
      if ("value" in decoded) return decoded.value;
      const prefix = type.scalar === "bytes" && walk.words === "converter" ? "error decoding from json: " : "";
      if (decoded.isWholeMessage === true) end(walk, `${prefix}${decoded.error}`);
      else if (walk.words === "json") fail(walk, wrongType(decoded.error, place));
      // The converter leaves a type that reads itself to Go's decoder.
      else if (type.scalar === "IntOrString") fail(walk, wrongRoot(decoded.error));
      else fail(walk, unconvertible(type, given));
      return zeroOfScalar(type.scalar);
    }
    case "message":
      return readMessageValue(walk, type.message, given, place);
    case "list":
      return readList(walk, type, given, place);
    case "map":
      return readMap(walk, type, given, place);
  }
}

/** JSON has larger numbers than a float: a free value must not hold one, however deep. */
function refuseInfinity(walk: Walk, given: Json, path: string): void {
  if (given === Infinity || given === -Infinity) {
    end(walk, `json: cannot unmarshal number ${walk.literals?.get(path) ?? given} into Go value of type float64`);
  } else if (Array.isArray(given)) {
    for (const [index, item] of (given as readonly Json[]).entries()) refuseInfinity(walk, item, `${path}[${index}]`);
  } else if (isJsonObject(given)) {
    for (const [key, item = null] of Object.entries(given)) refuseInfinity(walk, item, `${path}.${key}`);
  }
}

function readMessageValue(walk: Walk, name: string, given: Json, place: Place): Json {
  if (isUnionMessage(name)) return readUnion(walk, name, given, place);
  if (!isJsonObject(given)) {
    if (given !== null && walk.words === "converter") fail(walk, `cannot restore struct from: ${goKind(given)}`);
    if (given !== null) fail(walk, wrongType(`${describeJsonKind(given)} into`, place, `v1.${shortName(name)}`));
    return readMessage(walk, messageType(name), {}, place);
  }
  return readMessage(walk, messageType(name), given, { ...place, struct: shortName(name) });
}

/** JSONSchemaProps, or a list of them, or a boolean, or texts. Null for what is none of them, where nothing refuses it. */
function readUnion(walk: Walk, name: string, given: Json, place: Place): Json {
  if (!isJsonObject(given)) {
    if (name.endsWith("OrBool")) {
      if (typeof given !== "boolean") end(walk, "boolean or JSON schema expected");
      return given;
    }
    if (!Array.isArray(given) || given.length === 0) return null;
  }
  const readProps = (item: Json, itemPlace: Place): Json =>
    isJsonObject(item) ? readMessageValue(walk, "apiextensions.JSONSchemaProps", item, itemPlace) : item;
  if (!Array.isArray(given)) return readProps(given, place);
  return (given as readonly Json[]).map((item, index) =>
    readProps(item, { ...place, path: `${place.path}[${index}]` }),
  );
}

function readList(walk: Walk, type: FieldType & { kind: "list" }, given: Json, place: Place): Json {
  if (!Array.isArray(given)) {
    fail(
      walk,
      walk.words === "json"
        ? wrongType(`${describeJsonKind(given)} into`, place, typeNameOf(type))
        : unconvertible(type, given),
    );
    return [];
  }
  return (given as readonly Json[]).map((item, index) => {
    const itemPlace = { ...place, path: `${place.path}[${index}]` };
    return item === null ? emptyItem(walk, type.element, itemPlace) : readValue(walk, type.element, item, itemPlace);
  });
}

function readMap(walk: Walk, type: FieldType & { kind: "map" }, given: Json, place: Place): Json {
  if (!isJsonObject(given)) {
    fail(
      walk,
      walk.words === "json"
        ? wrongType(`${describeJsonKind(given)} into`, place, typeNameOf(type))
        : unconvertible(type, given),
    );
    return {};
  }
  const entries: [string, Json][] = [];
  for (const key of Object.keys(given).sort(compareText)) {
    const item = given[key];
    if (item === undefined) continue;
    const itemPlace = { ...place, path: `${place.path}.${key}` };
    const isNull = item === null;
    const value = isNull ? emptyItem(walk, type.element, itemPlace) : readValue(walk, type.element, item, itemPlace);
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

function emptyItem(walk: Walk, type: FieldType, place: Place): Json {
  if (type.kind === "scalar") return zeroOfScalar(type.scalar);
  if (type.kind === "message" && !isUnionMessage(type.message)) {
    return readMessage(walk, messageType(type.message), {}, place);
  }
  return null;
}

function wrongType(what: string, place: Place, typeName?: string): string {
  const field = `${place.struct}.${place.stack.join(".")}`;
  const [kind, target] = typeName === undefined ? splitTarget(what) : [what.replace(/ into$/u, ""), typeName];
  return `json: cannot unmarshal ${kind} into Go struct field ${field} of type ${target}`;
}

/** The same of a value that is read alone. */
function wrongRoot(what: string): string {
  const [kind, target] = splitTarget(what);
  return `json: cannot unmarshal ${kind} into Go value of type ${target}`;
}

function splitTarget(text: string): [string, string] {
  const at = text.lastIndexOf(" into ");
  return [text.slice(0, at), text.slice(at + " into ".length)];
}

function unconvertible(type: FieldType, given: Json): string {
  if (type.kind === "list") return `cannot restore slice from ${goKind(given)}`;
  if (type.kind === "map") return `cannot restore map from ${goKind(given)}`;
  const target = typeNameOf(type);
  const source = goType(given);
  // Go converts these, and the converter refuses it; of other pairs it knows nothing.
  const isConverted = (target === "string" && source === "int64") || (target.startsWith("int") && source === "float64");
  return isConverted ? `cannot convert ${source} to ${target}` : `unrecognized type: ${target}`;
}

function fail(walk: Walk, error: string): void {
  walk.error ??= error;
}

function end(walk: Walk, error: string): void {
  if (walk.isFatal !== true) walk.error = error;
  walk.isFatal = true;
}
