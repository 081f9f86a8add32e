import { readExactJson, wholeNumber } from "../../core/exact-json.ts";
import { appendAll } from "../../core/append-all.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { formatMicroTime, formatTime } from "../../core/formats/rfc3339.ts";
import { isUnionMessage } from "../types/schema-of.ts";
import type { FieldType, MessageField, MessageType, ScalarName } from "../types/type-registry.ts";
import { messageType } from "../types/type-registry.ts";
import type { Reader, Tag } from "./reader.ts";
import { hasMore, newReader, readBytes, readDouble, readTag, readVarint, skipField, spend } from "./reader.ts";

/** Deeper than any real object; bytes of a few megabytes could nest far deeper. */
const maximumDepth = 200;

/**
 * The JSON of a message, or undefined when the bytes are malformed or have too many values. Fields that are not known are
 * skipped. What is zero is there too: decodeBuiltIn of types/ writes it as a server would.
 */
export function decodeMessage(message: MessageType, bytes: Uint8Array): JsonObject | undefined {
  const reader = newReader(bytes);
  const object = readMessage(reader, message, 0);
  return reader.isMalformed ? undefined : object;
}

type MutableObject = Record<string, Json>;

const fieldsByNumber = new Map<string, ReadonlyMap<number, MessageField>>();

function fieldsOf(message: MessageType): ReadonlyMap<number, MessageField> {
  const known = fieldsByNumber.get(message.name);
  if (known !== undefined) return known;
  const fields = new Map(message.fields.map((field) => [field.number, field]));
  fieldsByNumber.set(message.name, fields);
  return fields;
}

/** A message that occurs twice is merged into what was read first, as by Go. */
function readMessage(reader: Reader, message: MessageType, depth: number, result: MutableObject = {}): MutableObject {
  const fields = fieldsOf(message);
  if (depth > maximumDepth) reader.isMalformed = true;
  while (hasMore(reader)) {
    const tag = readTag(reader);
    const field = fields.get(tag.number);
    if (field === undefined) skipField(reader, tag.wireType);
    else readField(reader, tag, field, result, depth);
  }
  return result;
}

// eslint-disable-next-line max-params -- the hot loop of decoding: an options object for every field would cost more
function readField(reader: Reader, tag: Tag, field: MessageField, result: MutableObject, depth: number): void {
  const { type, name } = field;
  if (type.kind !== "scalar" && tag.wireType !== 2 && (field.isWrapped || !isUnpacked(type, tag))) {
    reader.isMalformed = true;
    return;
  }
  switch (type.kind) {
    case "map": {
      const map: MutableObject = ownObject(result, name);
      readEntry(reader, type.element, map, depth);
      result[name] = map;
      return;
    }
    case "list": {
      const list = ownList(result, name);
      if (field.isWrapped) appendAll(list, readTexts(readBytes(reader), reader));
      else if (isPacked(type.element, tag)) appendAll(list, readPacked(reader, type.element));
      else list.push(readValue(reader, tag, type.element, depth));
      result[name] = list;
      return;
    }
    case "message": {
      const current = field.isInline ? result : ownObject(result, name);
      const value = readMessageField(reader, type.message, depth, current);
      if (value !== result) result[name] = value;
      return;
    }
    case "scalar":
      result[name] = readValue(reader, tag, type, depth);
  }
}

function ownObject(result: MutableObject, name: string): MutableObject {
  const current = Object.hasOwn(result, name) ? result[name] : undefined;
  // Made here, entry by entry: a copy for each would take quadratic time.
  return isJsonObject(current) ? (current as MutableObject) : {};
}

function ownList(result: MutableObject, name: string): Json[] {
  const current = Object.hasOwn(result, name) ? result[name] : undefined;
  return Array.isArray(current) ? (current as Json[]) : [];
}

/** An item of a list of scalars: reading it checks its wire type. */
function isUnpacked(type: FieldType, tag: Tag): boolean {
  return type.kind === "list" && type.element.kind === "scalar" && tag.wireType !== 2;
}

function isPacked(type: FieldType, tag: Tag): boolean {
  return type.kind === "scalar" && tag.wireType === 2 && ["int32", "int64", "bool"].includes(type.scalar);
}

function readPacked(reader: Reader, type: FieldType): Json[] {
  const inner = newReader(readBytes(reader), reader.budget);
  const values: Json[] = [];
  while (hasMore(inner) && spend(inner)) values.push(readValue(inner, { number: 0, wireType: 0 }, type, 0));
  if (inner.isMalformed) reader.isMalformed = true;
  return values;
}

function readEntry(reader: Reader, element: FieldType, map: MutableObject, depth: number): void {
  const entry = newReader(readBytes(reader), reader.budget);
  let key = "";
  let value: Json = element.kind === "message" ? {} : null;
  while (hasMore(entry)) {
    const tag = readTag(entry);
    if (tag.number === 1 && tag.wireType !== 2) entry.isMalformed = true;
    else if (tag.number === 1) key = textOf(readBytes(entry));
    else if (tag.number === 2 && element.kind === "list") value = readTexts(readBytes(entry), reader);
    else if (tag.number === 2) value = readValue(entry, tag, element, depth);
    else skipField(entry, tag.wireType);
  }
  if (entry.isMalformed) reader.isMalformed = true;
  // An assignment costs a tenth of a definition; that of this one key would set the prototype.
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
  else map[key] = value;
}

function readTexts(bytes: Uint8Array, outer: Reader): Json[] {
  const reader = newReader(bytes, outer.budget);
  const texts: Json[] = [];
  while (hasMore(reader)) {
    const tag = readTag(reader);
    if (tag.number === 1) texts.push(textOf(readBytes(reader)));
    else skipField(reader, tag.wireType);
  }
  if (reader.isMalformed) outer.isMalformed = true;
  return texts;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

function readValue(reader: Reader, tag: Tag, type: FieldType, depth: number): Json {
  if (type.kind === "scalar") return readScalar(reader, tag, type.scalar);
  return type.kind === "message" ? readMessageField(reader, type.message, depth, {}) : null;
}

function readMessageField(reader: Reader, name: string, depth: number, current: MutableObject): Json {
  const inner = newReader(readBytes(reader), reader.budget);
  const value = isUnionMessage(name)
    ? readUnion(inner, name, depth + 1)
    : readMessage(inner, messageType(name), depth + 1, current);
  if (inner.isMalformed) reader.isMalformed = true;
  return value;
}

function readScalar(reader: Reader, tag: Tag, scalar: ScalarName): Json {
  const expected = scalar === "double" ? 1 : ["bool", "int32", "int64"].includes(scalar) ? 0 : 2;
  if (tag.wireType !== expected) {
    reader.isMalformed = true;
    return null;
  }
  switch (scalar) {
    case "bool":
      return readVarint(reader) !== 0n;
    case "int32":
      return Number(BigInt.asIntN(32, readVarint(reader)));
    case "int64":
      return wholeNumber(BigInt.asIntN(64, readVarint(reader)));
    case "double":
      return readDouble(reader);
    case "string":
      return textOf(readBytes(reader));
    case "bytes":
      return Buffer.from(readBytes(reader)).toString("base64");
    default: {
      const inner = newReader(readBytes(reader), reader.budget);
      const value = readStruct(inner, scalar);
      if (inner.isMalformed) reader.isMalformed = true;
      return value;
    }
  }
}

/** The first three fields of a message that is one value in JSON. */
interface StructFields {
  readonly numbers: ReadonlyMap<number, bigint>;
  readonly texts: ReadonlyMap<number, string>;
}

function readStructFields(reader: Reader): StructFields {
  const numbers = new Map<number, bigint>();
  const texts = new Map<number, string>();
  while (hasMore(reader)) {
    const tag = readTag(reader);
    if (tag.wireType === 0) numbers.set(tag.number, readVarint(reader));
    else if (tag.wireType === 2) texts.set(tag.number, textOf(readBytes(reader)));
    else skipField(reader, tag.wireType);
  }
  return { numbers, texts };
}

function readStruct(reader: Reader, scalar: ScalarName): Json {
  const isEmpty = reader.bytes.length === 0;
  const { numbers, texts } = readStructFields(reader);
  switch (scalar) {
    case "Time":
    case "MicroTime": {
      if (isEmpty) return null;
      const seconds = Number(BigInt.asIntN(64, numbers.get(1) ?? 0n));
      const moment = { seconds, nanos: Number(BigInt.asIntN(32, numbers.get(2) ?? 0n)) };
      // What no date can hold is no date.
      if (Math.abs(seconds) > 8_640_000_000_000) {
        reader.isMalformed = true;
        return null;
      }
      return scalar === "Time" ? formatTime(moment) : formatMicroTime(moment);
    }
    case "Quantity":
      return texts.get(1) ?? "0";
    case "IntOrString":
      return numbers.get(1) === 1n ? (texts.get(3) ?? "") : Number(BigInt.asIntN(32, numbers.get(2) ?? 0n));
    default:
      return readJson(reader, texts.get(1));
  }
}

function readJson(reader: Reader, text: string | undefined): Json {
  if (text === undefined || text === "") return null;
  const value = readExactJson(text);
  // The caller answers that the whole message is malformed.
  if (value === undefined) reader.isMalformed = true;
  return value ?? null;
}

function readUnion(reader: Reader, name: string, depth: number): Json {
  const schema = messageType("apiextensions.JSONSchemaProps");
  const isBool = name === "apiextensions.JSONSchemaPropsOrBool";
  const isArray = name === "apiextensions.JSONSchemaPropsOrArray";
  let single: Json | undefined;
  let allows = false;
  const items: Json[] = [];
  while (hasMore(reader)) {
    const tag = readTag(reader);
    if (tag.number === 1 && isBool) allows = readVarint(reader) !== 0n;
    else if (tag.number === 1 || (tag.number === 2 && isBool)) single = readNestedSchema(reader, schema, depth);
    else if (tag.number === 2 && isArray) items.push(readNestedSchema(reader, schema, depth));
    else if (tag.number === 2) items.push(textOf(readBytes(reader)));
    else skipField(reader, tag.wireType);
  }
  return single ?? (isBool ? allows : items);
}

function readNestedSchema(outer: Reader, schema: MessageType, depth: number): Json {
  const reader = newReader(readBytes(outer), outer.budget);
  const value = readMessage(reader, schema, depth + 1);
  if (reader.isMalformed) outer.isMalformed = true;
  return value;
}
