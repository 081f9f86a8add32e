import type { Json, JsonObject } from "../../core/json.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { isUnionMessage } from "../types/schema-of.ts";
import type { DescribeMessage } from "./descriptions.ts";
import type { MessageDescription } from "./message-description.ts";
import { describeField } from "./descriptions.ts";
import { expandEmbedded } from "./embedded-resources.ts";
import type { FieldType, MessageField, MessageType, ScalarName } from "../types/type-registry.ts";
import { messageType, messageTypeOfKind } from "../types/type-registry.ts";

/** Schemas of one document by name, filled as they are referred to. `root` is what references begin with. */
export interface SchemaCollection {
  readonly root: "#/components/schemas/" | "#/definitions/";
  readonly schemas: Record<string, JsonObject>;
  readonly describe: DescribeMessage;
}

const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Adds the schema of a kind and of all it refers to; returns its name. */
export function collectKind(collection: SchemaCollection, definition: ResourceDefinition): string {
  return definition.isCustom ? collectCustom(collection, definition) : collectBuiltIn(collection, definition);
}

/** Adds the schema of the list of a kind; undefined for kinds that are not listed. */
export function collectList(collection: SchemaCollection, definition: ResourceDefinition): string | undefined {
  if (!definition.verbs.includes("list")) return undefined;
  const { group, version, listKind, kind } = definition;
  const item = collectKind(collection, definition);
  const name = `${item.slice(0, item.lastIndexOf(".") + 1)}${listKind}`;
  collection.schemas[name] = {
    description: `${listKind} is a list of ${kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string" },
      items: { type: "array", items: reference(collection, item) },
      kind: { type: "string" },
      metadata: wrapped(collection, collectMessage(collection, "meta.ListMeta")),
    },
    "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
  };
  return name;
}

/** Adds a message of the built-in types, with all it refers to; returns its name. */
export function collectMessage(collection: SchemaCollection, name: string): string {
  const message = messageType(name);
  const { openApiName } = message;
  if (Object.hasOwn(collection.schemas, openApiName)) return openApiName;
  if (isUnionMessage(name)) {
    collection.schemas[openApiName] = {};
    return openApiName;
  }
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  // Set before its fields are read: messages refer to themselves.
  collection.schemas[openApiName] = {};
  const description = collection.describe(openApiName);
  addFields(collection, message, { properties, required, description });
  collection.schemas[openApiName] = {
    ...(description.text === "" ? {} : { description: description.text }),
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(message.isAtomic ? { "x-kubernetes-map-type": "atomic" } : {}),
  };
  return openApiName;
}

export function reference({ root }: SchemaCollection, name: string): JsonObject {
  return { $ref: `${root}${name}` };
}

function collectBuiltIn(collection: SchemaCollection, definition: ResourceDefinition): string {
  const { group, version, kind } = definition;
  const message = messageTypeOfKind(group, version, kind);
  if (message === undefined) throw new TypeError(`no type for ${group}/${version} ${kind}`);
  const isNew = !Object.hasOwn(collection.schemas, message.openApiName);
  const name = collectMessage(collection, message.name);
  if (isNew) collection.schemas[name] = withTypeMeta(collection, collection.schemas[name] ?? {}, definition);
  return name;
}

function collectCustom(collection: SchemaCollection, definition: ResourceDefinition): string {
  const { group, version, kind, structuralSchema = {} } = definition;
  const name = [...group.split(".").reverse(), version, kind].join(".");
  if (Object.hasOwn(collection.schemas, name)) return name;
  const objectMeta = wrapped(collection, collectMessage(collection, "meta.ObjectMeta"));
  const metadata = { description: describeField(collection.describe(name), "metadata") ?? "", ...objectMeta };
  const isSwagger = collection.root === "#/definitions/";
  const schema = expandEmbedded(structuralSchema as JsonObject, { metadata: objectMeta, isSwagger });
  const properties = (schema["properties"] ?? {}) as JsonObject;
  collection.schemas[name] = withTypeMeta(
    collection,
    { ...schema, properties: { ...properties, metadata } },
    definition,
  );
  return name;
}

function withTypeMeta(
  { describe }: SchemaCollection,
  schema: JsonObject,
  { group, version, kind }: ResourceDefinition,
): JsonObject {
  const { properties = {} } = schema;
  // All kinds have the same description of these two.
  const described = describe("io.k8s.api.core.v1.ConfigMap").fields;
  const typeMeta = Object.fromEntries(
    ["apiVersion", "kind"].map((name) => {
      const description = described.get(name);
      return [name, { ...(description === undefined ? {} : { description }), type: "string" }];
    }),
  );
  return {
    ...schema,
    properties: { ...typeMeta, ...(properties as JsonObject) },
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
  };
}

interface Shape {
  readonly description: MessageDescription;
  readonly properties: Record<string, JsonObject>;
  readonly required: string[];
}

function addFields(collection: SchemaCollection, message: MessageType, shape: Shape): void {
  for (const field of message.fields) {
    if (field.isInline && field.type.kind === "message") {
      addFields(collection, messageType(field.type.message), shape);
      continue;
    }
    const description = withEnum(describeField(shape.description, field.name), field);
    shape.properties[field.name] = {
      ...(description === undefined ? {} : { description }),
      ...schemaOfType(collection, field.type, field.enum),
      ...extensionsOf(field),
    };
    if (field.isRequired) shape.required.push(field.name);
  }
}

/** The values of a text are in its description too: some clients show only that. */
function withEnum(description: string | undefined, { type, enum: values }: MessageField): string | undefined {
  if (values === undefined || type.kind !== "scalar") return description;
  const list = values.map((value) => `\n - \`${JSON.stringify(value)}\``).join("");
  return `${description === undefined ? "" : `${description}\n\n`}Possible enum values:${list}`;
}

function extensionsOf(field: MessageField): JsonObject {
  const isList = field.type.kind === "list";
  return {
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(isList && field.listType !== undefined ? { "x-kubernetes-list-type": field.listType } : {}),
    ...(isList && field.mapKeys !== undefined ? { "x-kubernetes-list-map-keys": field.mapKeys } : {}),
    ...(!isList && field.listType === "atomic" ? { "x-kubernetes-map-type": "atomic" } : {}),
    ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy }),
    ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
  };
}

function schemaOfType(collection: SchemaCollection, type: FieldType, values?: readonly string[]): JsonObject {
  switch (type.kind) {
    case "scalar":
      return { ...schemaOfScalar(collection, type.scalar), ...(values === undefined ? {} : { enum: values }) };
    case "message":
      return wrapped(collection, collectMessage(collection, type.message));
    case "list":
      return { type: "array", items: schemaOfType(collection, type.element, values) };
    case "map":
      return { type: "object", additionalProperties: schemaOfType(collection, type.element, values) };
  }
}

/** OpenAPI 3.0 allows nothing beside `$ref`; Swagger 2 has no `allOf` in fields of Kubernetes. */
function wrapped(collection: SchemaCollection, name: string): JsonObject {
  const direct = reference(collection, name);
  return collection.root === "#/definitions/" ? direct : { allOf: [direct] };
}

function schemaOfScalar(collection: SchemaCollection, scalar: ScalarName): JsonObject {
  const named = namedScalars[scalar];
  if (named === undefined) return plainScalars[scalar] ?? {};
  const [name, schema] = named;
  collection.schemas[name] ??= schema;
  return wrapped(collection, name);
}

const plainScalars: Partial<Record<ScalarName, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};

const namedScalars: Partial<Record<ScalarName, readonly [string, JsonObject]>> = {
  Time: [`${metaPrefix}.Time`, { type: "string", format: "date-time" }],
  MicroTime: [`${metaPrefix}.MicroTime`, { type: "string", format: "date-time" }],
  FieldsV1: [`${metaPrefix}.FieldsV1`, { type: "object" }],
  Quantity: [
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    { oneOf: [{ type: "string" }, { type: "number" }] satisfies Json },
  ],
  IntOrString: [
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] satisfies Json },
  ],
  RawExtension: ["io.k8s.apimachinery.pkg.runtime.RawExtension", { type: "object" }],
  JSON: ["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", {}],
};
