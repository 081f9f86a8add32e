// protobuf: built-in kinds as bytes, driven by the tables of types/.
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject, stringifyJson } from "../../core/json.ts";
import { parseTime } from "../../core/formats/rfc3339.ts";
import { isUnionMessage } from "../types/schema-of.ts";
import type { FieldType, MessageField, MessageType, ScalarName } from "../types/type-registry.ts";
import { messageType } from "../types/type-registry.ts";
import type { Writer } from "./writer.ts";
import {
  newWriter,
  wireTypes,
  writeBytesField,
  writeDouble,
  writeHeader,
  writeNumberField,
  writeTag,
  writeTextField,
  writtenBytes,
  writtenLength,
} from "./writer.ts";

/** The bytes of a message as Kubernetes' generated code writes them: fields by number, maps by key, zeros too. */
export function encodeMessage(message: MessageType, value: JsonObject): Uint8Array {
  const writer = newWriter();
  writeMessage(writer, message, value);
  return writtenBytes(writer);
}

/** The bytes of one field of a message. */
export function encodeField(field: MessageField, value: Json): Uint8Array {
  const writer = newWriter();
  writeField(writer, field, value);
  return writtenBytes(writer);
}

/** Fields by falling number, because writing runs from the end to the front; made once for each message. */
const writeOrders = new Map<string, readonly MessageField[]>();

function writeOrderOf(message: MessageType): readonly MessageField[] {
  const known = writeOrders.get(message.name);
  if (known !== undefined) return known;
  const order = [...message.fields].sort((a, b) => b.number - a.number);
  writeOrders.set(message.name, order);
  return order;
}

function writeMessage(writer: Writer, message: MessageType, value: JsonObject): void {
  for (const field of writeOrderOf(message)) {
    // The fields of an inlined message are in the object itself.
    const given = field.isInline ? value : ((Object.hasOwn(value, field.name) ? value[field.name] : undefined) ?? null);
    writeField(writer, field, given);
  }
}

function writeField(writer: Writer, field: MessageField, given: Json): void {
  const { type, number } = field;
  switch (type.kind) {
    case "list":
      if (!Array.isArray(given)) return;
      if (field.isWrapped) {
        writeTexts(writer, number, given);
        return;
      }
      for (const item of [...(given as readonly Json[])].reverse()) writeValue(writer, number, type.element, item);
      return;
    case "map":
      if (isJsonObject(given)) writeMap(writer, number, type.element, given);
      return;
    case "message":
      if (given === null && (field.isPointer || isUnionMessage(type.message))) return;
      writeValue(writer, number, type, given);
      return;
    case "scalar":
      if (given === null && (field.isPointer || type.scalar === "bytes")) return;
      writeValue(writer, number, type, given);
  }
}

function writeMap(writer: Writer, number: number, element: FieldType, map: JsonObject): void {
  const keys = Object.keys(map).filter((key) => map[key] !== undefined);
  keys.sort((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
  for (const key of keys) {
    const end = writtenLength(writer);
    const item = map[key] ?? null;
    const isAbsent = item === null && element.kind === "scalar" && element.scalar === "bytes";
    if (element.kind === "list") writeTexts(writer, 2, item);
    else if (!isAbsent) writeValue(writer, 2, element, item);
    writeTextField(writer, 1, key);
    writeHeader(writer, number, end);
  }
}

/** A list that is a message of its own, as inside a map. */
function writeTexts(writer: Writer, number: number, item: Json): void {
  const end = writtenLength(writer);
  for (const text of Array.isArray(item) ? [...(item as readonly Json[])].reverse() : []) {
    writeTextField(writer, 1, typeof text === "string" ? text : "");
  }
  writeHeader(writer, number, end);
}

function writeValue(writer: Writer, number: number, type: FieldType, value: Json): void {
  if (type.kind === "scalar") {
    writeScalar(writer, number, type.scalar, value);
    return;
  }
  if (type.kind !== "message") return;
  const end = writtenLength(writer);
  if (isUnionMessage(type.message)) writeUnion(writer, type.message, value);
  else writeMessage(writer, messageType(type.message), isJsonObject(value) ? value : {});
  writeHeader(writer, number, end);
}

function writeScalar(writer: Writer, number: number, scalar: ScalarName, value: Json): void {
  switch (scalar) {
    case "string":
      writeTextField(writer, number, typeof value === "string" ? value : "");
      return;
    case "bool":
      writeNumberField(writer, number, value === true ? 1 : 0);
      return;
    case "int32":
    case "int64":
      writeNumberField(writer, number, numberOf(value));
      return;
    case "double":
      writeDouble(writer, Number(numberOf(value)));
      writeTag(writer, number, wireTypes.fixed64);
      return;
    case "bytes":
      writeBytesField(writer, number, Buffer.from(typeof value === "string" ? value : "", "base64"));
      return;
    default: {
      const end = writtenLength(writer);
      writeStruct(writer, scalar, value);
      writeHeader(writer, number, end);
    }
  }
}

function numberOf(value: Json): number | bigint {
  return typeof value === "number" || typeof value === "bigint" ? value : 0;
}

/** Types that are one value in JSON and a message in protobuf. */
function writeStruct(writer: Writer, scalar: ScalarName, value: Json): void {
  switch (scalar) {
    case "Time":
    case "MicroTime": {
      const moment = typeof value === "string" ? parseTime(value, false) : undefined;
      if (moment === undefined || "error" in moment) return;
      writeNumberField(writer, 2, scalar === "Time" ? 0 : moment.nanos - (moment.nanos % 1000));
      writeNumberField(writer, 1, moment.seconds);
      return;
    }
    case "Quantity":
      writeTextField(writer, 1, typeof value === "string" ? value : "0");
      return;
    case "IntOrString":
      writeTextField(writer, 3, typeof value === "string" ? value : "");
      writeNumberField(writer, 2, numberOf(value));
      writeNumberField(writer, 1, typeof value === "string" ? 1 : 0);
      return;
    case "RawExtension":
    case "JSON":
    case "FieldsV1":
      if (value !== null || scalar === "JSON") writeTextField(writer, 1, stringifyJson(value));
      return;
    default:
      return;
  }
}

/** JSONSchemaProps or something else: the first two fields of a message, one of which is set. */
function writeUnion(writer: Writer, name: string, value: Json): void {
  const writeSchema = (number: number, schema: JsonObject): void => {
    const end = writtenLength(writer);
    writeMessage(writer, messageType("apiextensions.JSONSchemaProps"), schema);
    writeHeader(writer, number, end);
  };
  const items = Array.isArray(value) ? [...(value as readonly Json[])].reverse() : [];
  switch (name) {
    case "apiextensions.JSONSchemaPropsOrBool":
      if (isJsonObject(value)) writeSchema(2, value);
      // A schema allows what fits it.
      writeNumberField(writer, 1, value === true || isJsonObject(value) ? 1 : 0);
      return;
    case "apiextensions.JSONSchemaPropsOrArray":
      for (const item of items) if (isJsonObject(item)) writeSchema(2, item);
      if (isJsonObject(value)) writeSchema(1, value);
      return;
    default:
      for (const item of items) writeTextField(writer, 2, typeof item === "string" ? item : "");
      if (isJsonObject(value)) writeSchema(1, value);
  }
}
