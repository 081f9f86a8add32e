import type { Json, JsonObject } from "../../core/json.ts";
import { decodeBuiltIn } from "../types/decode-built-in.ts";
import type { MessageType } from "../types/type-registry.ts";
import { messageType, messageTypeOfKind } from "../types/type-registry.ts";
import { decodeMessage } from "./decode-message.ts";
import { encodeField, encodeMessage } from "./encode-message.ts";
import { hasMore, newReader, readBytes, readTag, skipField } from "./reader.ts";
import {
  newWriter,
  wireTypes,
  writeBytes,
  writeBytesField,
  writeHeader,
  writeTag,
  writeTextField,
  writeVarint,
  writtenBytes,
  writtenLength,
} from "./writer.ts";

/** What every Kubernetes protobuf body starts with. */
const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/**
 * A built-in object (lists, Status, reviews, options too) in the envelope of `application/vnd.kubernetes.protobuf`, or
 * undefined when its kind has no protobuf form. `as` names the message when it is not that of the kind
 * (`meta.PartialObjectMetadata`).
 */
export function encodeKubeObject(object: JsonObject, as?: string): Uint8Array | undefined {
  const { apiVersion, kind } = typeOf(object);
  const message = as === undefined ? messageOf(apiVersion, kind) : messageType(as);
  if (message === undefined) return undefined;
  const writer = newWriter();
  writeTextField(writer, 4, "");
  writeTextField(writer, 3, "");
  writeBytesField(writer, 2, encodeMessage(message, object));
  const end = writtenLength(writer);
  writeTextField(writer, 2, kind);
  writeTextField(writer, 1, apiVersion);
  writeHeader(writer, 1, end);
  writeBytes(writer, magic);
  return writtenBytes(writer);
}

export interface ProtobufList {
  /** One item with its tag. */
  readonly encodeItem: (item: JsonObject) => Uint8Array;
  /** The whole, as {@link encodeKubeObject} has it, in pieces. */
  readonly around: (items: readonly Uint8Array[]) => Uint8Array[];
}

/** A list that is encoded item by item; undefined as with {@link encodeKubeObject}. The items come last in its message. */
export function protobufList(head: JsonObject, key: string, as?: string): ProtobufList | undefined {
  const { apiVersion, kind } = typeOf(head);
  const message = as === undefined ? messageOf(apiVersion, kind) : messageType(as);
  const field = message?.fields.find(({ name }) => name === key);
  if (message === undefined || field === undefined) return undefined;
  return {
    encodeItem: (item) => encodeField(field, [item]),
    around: (items) => {
      const start = encodeMessage(message, head);
      const sizeBytes = items.reduce((sum, { length }) => sum + length, start.length);
      const before = newWriter();
      writeVarint(before, sizeBytes);
      writeTag(before, 2, wireTypes.bytes);
      const end = writtenLength(before);
      writeTextField(before, 2, kind);
      writeTextField(before, 1, apiVersion);
      writeHeader(before, 1, end);
      writeBytes(before, magic);
      const after = newWriter();
      writeTextField(after, 4, "");
      writeTextField(after, 3, "");
      return [writtenBytes(before), start, ...items, writtenBytes(after)];
    },
  };
}

export type DecodedProtobuf =
  | { readonly kind: "object"; readonly object: JsonObject }
  /** No Kubernetes protobuf, or malformed. */
  | { readonly kind: "malformed"; readonly message: string }
  /** The kind has no protobuf form here. */
  | { readonly kind: "unknownKind"; readonly apiVersion: string; readonly objectKind: string };

/**
 * Reads an envelope. `expected` is the kind to read when the envelope names none. The object is written as a server
 * writes JSON: nothing empty, times and quantities in canonical form.
 */
export function decodeKubeObject(
  bytes: Uint8Array,
  expected?: { readonly apiVersion: string; readonly kind: string },
): DecodedProtobuf {
  if (bytes.length < magic.length || magic.some((byte, index) => bytes[index] !== byte)) {
    return {
      kind: "malformed",
      message: "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    };
  }
  const envelope = readEnvelope(bytes.subarray(magic.length));
  if (envelope === undefined) return { kind: "malformed", message: "unexpected EOF" };
  const apiVersion = envelope.apiVersion === "" ? (expected?.apiVersion ?? "") : envelope.apiVersion;
  const kind = envelope.kind === "" ? (expected?.kind ?? "") : envelope.kind;
  const message = messageOf(apiVersion, kind);
  if (message === undefined) return { kind: "unknownKind", apiVersion, objectKind: kind };
  const raw = decodeMessage(message, envelope.raw);
  if (raw === undefined) return { kind: "malformed", message: "unexpected EOF" };
  const decoded = decodeBuiltIn(message, { apiVersion, kind, ...raw });
  if (decoded.error !== undefined) return { kind: "malformed", message: decoded.error };
  return { kind: "object", object: decoded.object };
}

/**
 * One frame of a protobuf watch (`application/vnd.kubernetes.protobuf;stream=watch`): four bytes of length, most
 * significant first, then the event, which holds the object in its envelope.
 */
export function encodeWatchFrame(type: string, envelope: Uint8Array): Uint8Array {
  const writer = newWriter();
  const end = writtenLength(writer);
  writeBytesField(writer, 1, envelope);
  writeHeader(writer, 2, end);
  writeTextField(writer, 1, type);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, writtenLength(writer));
  writeBytes(writer, length);
  return writtenBytes(writer);
}

function messageOf(apiVersion: string, kind: string): MessageType | undefined {
  // The lists of discovery's core group name no version of their own.
  if (apiVersion === "") return messageTypeOfKind("", "v1", kind);
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? messageTypeOfKind("", first, kind) : messageTypeOfKind(first, second, kind);
}

function typeOf(object: JsonObject): { readonly apiVersion: string; readonly kind: string } {
  const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
  return { apiVersion: text(object["apiVersion"]), kind: text(object["kind"]) };
}

function readEnvelope(
  bytes: Uint8Array,
): { readonly apiVersion: string; readonly kind: string; readonly raw: Uint8Array } | undefined {
  const reader = newReader(bytes);
  let typeMeta: { readonly apiVersion: string; readonly kind: string } = { apiVersion: "", kind: "" };
  let raw = new Uint8Array();
  while (hasMore(reader)) {
    const tag = readTag(reader);
    if (tag.number === 1 && tag.wireType === 2) typeMeta = readTypeMeta(readBytes(reader));
    else if (tag.number === 2 && tag.wireType === 2) raw = Uint8Array.from(readBytes(reader));
    else skipField(reader, tag.wireType);
  }
  return reader.isMalformed ? undefined : { ...typeMeta, raw };
}

function readTypeMeta(bytes: Uint8Array): { readonly apiVersion: string; readonly kind: string } {
  const reader = newReader(bytes);
  const texts = new Map<number, string>();
  while (hasMore(reader)) {
    const tag = readTag(reader);
    if (tag.wireType === 2) texts.set(tag.number, Buffer.from(readBytes(reader)).toString("utf8"));
    else skipField(reader, tag.wireType);
  }
  return { apiVersion: texts.get(1) ?? "", kind: texts.get(2) ?? "" };
}
