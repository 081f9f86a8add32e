import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { ownValue } from "../../core/own-value.ts";
import type { Writer } from "../protobuf/writer.ts";
import {
  newWriter,
  wireTypes,
  writeDouble,
  writeHeader,
  writeNumberField,
  writeTag,
  writeTextField,
  writtenBytes,
  writtenLength,
} from "../protobuf/writer.ts";

/** Of a JSON name: the number of its field and what it holds. `*`: all other names. `x-`: extensions. */
type MessageTable = Readonly<Record<string, readonly [field: number, type: string]>>;

const named = (type: string): MessageTable => ({ "*": [1, type] });

/** As far as documents of the hub use them. Source of the numbers: gnostic, openapiv3/OpenAPIv3.proto. */
const messages: Readonly<Record<string, MessageTable>> = {
  Document: { openapi: [1, "text"], info: [2, "Info"], paths: [4, "Paths"], components: [5, "Components"] },
  Info: { title: [1, "text"], description: [2, "text"], version: [6, "text"] },
  Paths: named("PathItem"),
  Components: { schemas: [1, "Schemas"] },
  Schemas: named("Schema?"),
  MediaTypes: named("MediaType"),
  MediaType: { schema: [1, "Schema?"] },
  Responses: { default: [1, "Response?"], "*": [2, "Response?"] },
  Response: { description: [1, "text"], content: [3, "MediaTypes"] },
  RequestBody: { description: [1, "text"], content: [2, "MediaTypes"], required: [3, "boolean"] },
  Reference: { $ref: [1, "text"], description: [3, "text"] },
  PathItem: {
    ...{ summary: [2, "text"], description: [3, "text"], parameters: [13, "Parameter?"], "x-": [14, "any"] },
    ...{ get: [4, "Operation"], put: [5, "Operation"], post: [6, "Operation"], delete: [7, "Operation"] },
    ...{ options: [8, "Operation"], head: [9, "Operation"], patch: [10, "Operation"] },
  },
  Operation: {
    ...{ tags: [1, "text"], description: [3, "text"], operationId: [5, "text"], parameters: [6, "Parameter?"] },
    ...{
      requestBody: [7, "RequestBody?"],
      responses: [8, "Responses"],
      deprecated: [10, "boolean"],
      "x-": [13, "any"],
    },
  },
  Parameter: {
    ...{ name: [1, "text"], in: [2, "text"], description: [3, "text"], required: [4, "boolean"] },
    ...{ schema: [10, "Schema?"], content: [13, "MediaTypes"] },
  },
  Schema: {
    ...{ nullable: [1, "boolean"], externalDocs: [6, "ExternalDocs"], example: [7, "any"], title: [9, "text"] },
    ...{ multipleOf: [10, "double"], maximum: [11, "double"], exclusiveMaximum: [12, "boolean"] },
    ...{ minimum: [13, "double"], exclusiveMinimum: [14, "boolean"], maxLength: [15, "count"] },
    ...{ minLength: [16, "count"], pattern: [17, "text"], maxItems: [18, "count"], minItems: [19, "count"] },
    ...{ uniqueItems: [20, "boolean"], maxProperties: [21, "count"], minProperties: [22, "count"] },
    ...{
      required: [23, "text"],
      enum: [24, "any"],
      type: [25, "text"],
      allOf: [26, "Schema?"],
      oneOf: [27, "Schema?"],
    },
    ...{ anyOf: [28, "Schema?"], not: [29, "Schema"], items: [30, "Items"], properties: [31, "Schemas"] },
    ...{ additionalProperties: [32, "Values"], default: [33, "Default"], description: [34, "text"] },
    ...{ format: [35, "text"], "x-": [36, "any"] },
  },
  ExternalDocs: { description: [1, "text"], url: [2, "text"] },
};

/** A document of OpenAPI v3 in the protobuf form that client-go asks for. */
export function encodeOpenApiV3(document: JsonObject): Buffer {
  const writer = newWriter();
  writeMessage(writer, "Document", document);
  return Buffer.from(writtenBytes(writer));
}

function writeMessage(writer: Writer, type: string, message: JsonObject): void {
  const table = ownValue(messages, type) ?? {};
  // The writer runs from the end to the front.
  for (const [name, value] of Object.entries(message).reverse()) {
    const own = name === "*" || name === "x-" ? undefined : ownValue(table, name);
    if (value === undefined) continue;
    if (own !== undefined) writeField(writer, own, value);
    else {
      // A property may have the name of an extension.
      const other = table["*"] ?? (name.startsWith("x-") ? table["x-"] : undefined);
      if (other !== undefined) writeNamed(writer, other, name, value);
    }
  }
}

function writeNamed(writer: Writer, [field, type]: readonly [number, string], name: string, value: Json): void {
  nested(writer, field, () => {
    writeOne(writer, 2, type, value);
    writeTextField(writer, 1, name);
  });
}

function writeField(writer: Writer, [field, type]: readonly [number, string], value: Json): void {
  // A list is a field that repeats.
  const values = Array.isArray(value) ? [...(value as readonly Json[])].reverse() : [value];
  for (const one of values) writeOne(writer, field, type, one);
}

function writeOne(writer: Writer, field: number, type: string, value: Json): void {
  switch (type) {
    case "text":
      if (typeof value === "string" && value !== "") writeTextField(writer, field, value);
      return;
    case "boolean":
      if (value === true) writeNumberField(writer, field, 1);
      return;
    case "count":
      if (typeof value === "number") writeNumberField(writer, field, value);
      return;
    case "double":
      if (typeof value === "number") writeDoubleField(writer, field, value);
      return;
    case "any":
      return nested(writer, field, () => writeTextField(writer, 2, `${JSON.stringify(value)}\n`));
    case "Items":
      return nested(writer, field, () => writeField(writer, [1, "Schema?"], value));
    case "Values":
      return nested(writer, field, () => {
        if (typeof value === "boolean") writeNumberField(writer, 2, value ? 1 : 0);
        else writeField(writer, [1, "Schema?"], value);
      });
    case "Default":
      return nested(writer, field, () => writeDefault(writer, value));
    default:
      return nested(writer, field, () => writeOneOf(writer, type, isJsonObject(value) ? value : {}));
  }
}

/** `Schema?` is a Schema or a Reference to one. */
function writeOneOf(writer: Writer, type: string, value: JsonObject): void {
  if (!type.endsWith("?")) return writeMessage(writer, type, value);
  const isReference = value["$ref"] !== undefined;
  nested(writer, isReference ? 2 : 1, () => writeMessage(writer, isReference ? "Reference" : type.slice(0, -1), value));
}

/** The form has no place for lists and maps: they are empty there. */
function writeDefault(writer: Writer, value: Json): void {
  if (typeof value === "number") writeDoubleField(writer, 1, value);
  else if (typeof value === "boolean") writeNumberField(writer, 2, value ? 1 : 0);
  else if (typeof value === "string") writeTextField(writer, 3, value);
}

function writeDoubleField(writer: Writer, field: number, value: number): void {
  writeDouble(writer, value);
  writeTag(writer, field, wireTypes.fixed64);
}

function nested(writer: Writer, field: number, write: () => void): void {
  const end = writtenLength(writer);
  write();
  writeHeader(writer, field, end);
}
