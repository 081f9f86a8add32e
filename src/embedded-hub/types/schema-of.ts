import { ownValue } from "../../core/own-value.ts";
import type { Json } from "../../core/json.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldType, MessageField, MessageType, ScalarName } from "./type-registry.ts";
import { messageType, messageTypeOfKind } from "./type-registry.ts";

/** Schemas of messages, made when first asked for; a message that contains itself gives a cyclic schema. */
const schemas = new Map<string, Schema>();

/**
 * The schema of a built-in kind as server-side apply and strategic merge patch see it, or undefined when the kind is not
 * built in. JSONSchemaProps contains itself: the schema of CustomResourceDefinition is cyclic.
 */
export function schemaOf(group: string, version: string, kind: string): Schema | undefined {
  const message = messageTypeOfKind(group, version, kind);
  return message === undefined ? undefined : schemaOfKind(message);
}

/** The schema of a message; the same object for the same message. */
export function schemaOfMessage(name: string): Schema {
  const known = schemas.get(name);
  if (known !== undefined) return known;
  const shape = ownValue(unionMessages, name);
  if (shape !== undefined) {
    schemas.set(name, shape);
    return shape;
  }
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  const message = messageType(name);
  const schema: Schema = {
    type: "object",
    properties,
    ...(message.isAtomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    required,
  };
  schemas.set(name, schema);
  addProperties(message, properties, required);
  return schema;
}

/** Messages that are one of several shapes in JSON: any value is valid. */
const unionMessages: Readonly<Record<string, Schema>> = {
  "apiextensions.JSONSchemaPropsOrArray": {},
  "apiextensions.JSONSchemaPropsOrBool": {},
  "apiextensions.JSONSchemaPropsOrStringArray": {},
};

/** True for messages whose JSON is not the object of their fields. */
export function isUnionMessage(name: string): boolean {
  return Object.hasOwn(unionMessages, name);
}

function schemaOfKind(message: MessageType): Schema {
  const schema = schemaOfMessage(message.name);
  return {
    ...schema,
    properties: { apiVersion: { type: "string" }, kind: { type: "string" }, ...schema.properties },
  };
}

function addProperties(message: MessageType, properties: Record<string, Schema>, required: string[]): void {
  for (const field of message.fields) {
    if (field.isInline && field.type.kind === "message") {
      addProperties(messageType(field.type.message), properties, required);
    } else {
      properties[field.name] = schemaOfField(field);
      if (field.isRequired) required.push(field.name);
    }
  }
}

function schemaOfField(field: MessageField): Schema {
  const schema = schemaOfType(field.type);
  const defaultValue = field.default ?? zeroDefault(field);
  const isList = field.type.kind === "list";
  const extensions: Schema = {
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    ...(isList && field.listType ? { "x-kubernetes-list-type": field.listType } : {}),
    ...(isList && field.mapKeys ? { "x-kubernetes-list-map-keys": field.mapKeys } : {}),
    ...(!isList && field.listType === "atomic" ? { "x-kubernetes-map-type": "atomic" } : {}),
    ...(field.patchStrategy ? { "x-kubernetes-patch-strategy": field.patchStrategy } : {}),
    ...(field.patchMergeKey ? { "x-kubernetes-patch-merge-key": field.patchMergeKey } : {}),
  };
  // Spreading a message that is still being filled would copy the same properties object, which is filled later.
  return Object.keys(extensions).length === 0 ? schema : { ...schema, ...extensions };
}

/** The generated OpenAPI of Kubernetes gives fields that are always written their zero as default. */
function zeroDefault(field: MessageField): Json | undefined {
  if (!field.isAlwaysWritten || field.isPointer || field.type.kind !== "scalar") return undefined;
  switch (field.type.scalar) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "double":
      return 0;
    default:
      return undefined;
  }
}

function schemaOfType(type: FieldType): Schema {
  switch (type.kind) {
    case "scalar":
      return scalarSchemas[type.scalar];
    case "message":
      return schemaOfMessage(type.message);
    case "list":
      return { type: "array", items: schemaOfType(type.element) };
    case "map":
      return { type: "object", additionalProperties: schemaOfType(type.element) };
  }
}

const scalarSchemas: Readonly<Record<ScalarName, Schema>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  Time: { type: "string", format: "date-time" },
  MicroTime: { type: "string", format: "date-time" },
  Quantity: { type: "string", format: "quantity" },
  IntOrString: { type: "string", format: "int-or-string" },
  // Anything, owned as a whole.
  RawExtension: { "x-kubernetes-map-type": "atomic" },
  FieldsV1: { type: "object" },
  JSON: {},
};
