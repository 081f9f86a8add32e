import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
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

/**
 * A Swagger 2 document without paths in the protobuf form that client-go asks for.
 * Source of the field numbers: gnostic, openapiv2/OpenAPIv2.proto.
 */
export function encodeOpenApiV2(document: JsonObject): Buffer {
  const writer = newWriter();
  nested(writer, 9, () => writeNamedSchemas(writer, document["definitions"]));
  nested(writer, 8, () => undefined);
  nested(writer, 2, () => {
    const info = objectOf(document["info"]);
    writeText(writer, 2, info["version"]);
    writeText(writer, 1, info["title"]);
  });
  writeText(writer, 1, document["swagger"]);
  return Buffer.from(writtenBytes(writer));
}

const texts = { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 } as const;
const doubles = { multipleOf: 6, maximum: 7, minimum: 9 } as const;
const booleans = { exclusiveMaximum: 8, exclusiveMinimum: 10, uniqueItems: 16 } as const;
const counts = { maxLength: 11, minLength: 12, maxItems: 14, minItems: 15, maxProperties: 17, minProperties: 18 };

function writeSchema(writer: Writer, schema: JsonObject): void {
  // The writer runs from the end to the front; readers take fields in any order.
  for (const [name, value] of Object.entries(schema).reverse()) {
    if (value !== undefined && name.startsWith("x-")) nested(writer, 31, () => writeNamedAny(writer, name, value));
  }
  for (const [name, field] of Object.entries(texts)) writeText(writer, field, schema[name]);
  for (const [name, field] of Object.entries(doubles)) {
    const value = schema[name];
    if (typeof value !== "number") continue;
    writeDouble(writer, value);
    writeTag(writer, field, wireTypes.fixed64);
  }
  for (const [name, field] of Object.entries(booleans)) if (schema[name] === true) writeNumberField(writer, field, 1);
  for (const [name, field] of Object.entries(counts)) {
    const value = schema[name];
    if (typeof value === "number") writeNumberField(writer, field, value);
  }
  const { required, type, items, additionalProperties: values, properties } = schema;
  for (const name of listOf(required).reverse()) writeText(writer, 19, name);
  for (const value of listOf(schema["enum"]).reverse()) nested(writer, 20, () => writeYaml(writer, value));
  if (isJsonObject(values)) nested(writer, 21, () => nested(writer, 1, () => writeSchema(writer, values)));
  if (typeof values === "boolean") nested(writer, 21, () => writeNumberField(writer, 2, values ? 1 : 0));
  if (typeof type === "string") nested(writer, 22, () => writeText(writer, 1, type));
  if (isJsonObject(items)) nested(writer, 23, () => nested(writer, 1, () => writeSchema(writer, items)));
  if (isJsonObject(properties)) nested(writer, 25, () => writeNamedSchemas(writer, properties));
}

function writeNamedSchemas(writer: Writer, schemas: Json | undefined): void {
  for (const [name, schema] of Object.entries(objectOf(schemas)).reverse()) {
    nested(writer, 1, () => {
      nested(writer, 2, () => writeSchema(writer, objectOf(schema)));
      writeTextField(writer, 1, name);
    });
  }
}

function writeNamedAny(writer: Writer, name: string, value: Json): void {
  nested(writer, 2, () => writeYaml(writer, value));
  writeTextField(writer, 1, name);
}

/** Any value, as text that is YAML and JSON. */
function writeYaml(writer: Writer, value: Json): void {
  writeTextField(writer, 2, `${JSON.stringify(value)}\n`);
}

function writeText(writer: Writer, field: number, text: Json | undefined): void {
  if (typeof text === "string" && text !== "") writeTextField(writer, field, text);
}

function nested(writer: Writer, field: number, write: () => void): void {
  const end = writtenLength(writer);
  write();
  writeHeader(writer, field, end);
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? [...(value as readonly Json[])] : [];
}
