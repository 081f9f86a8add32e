import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";

export interface EmbeddedOptions {
  /** Refers to ObjectMeta, in the form of the document. */
  readonly metadata: JsonObject;
  /** OpenAPI v2: objects with further fields do not declare their metadata. */
  readonly isSwagger: boolean;
}

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const typeMeta: JsonObject = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: "string",
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    type: "string",
  },
};

/**
 * The schema of a custom kind as OpenAPI publishes it: objects within the object have a type and metadata, numbers or
 * texts are both. Source: apiextensions-apiserver, controller/openapi/builder.
 */
export function expandEmbedded(schema: JsonObject, options: EmbeddedOptions): JsonObject {
  const { properties, items, additionalProperties } = schema;
  const expand = (value: Json | undefined): Json | undefined =>
    isJsonObject(value) ? expandEmbedded(value, options) : value;
  const below: JsonObject = {
    ...schema,
    ...(isJsonObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, expand(value)])) }
      : {}),
    ...(items === undefined ? {} : { items: expand(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: expand(additionalProperties) }),
  };
  if (schema["x-kubernetes-int-or-string"] === true) return withAlternatives(below);
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] !== true || (options.isSwagger && isOpen)) return below;
  const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly Json[]) : [];
  return {
    ...below,
    properties: {
      ...(isJsonObject(below["properties"]) ? below["properties"] : {}),
      ...typeMeta,
      metadata: { description: `Standard object's metadata. More info: ${conventions}#metadata`, ...options.metadata },
    },
    required: [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))],
  };
}

function withAlternatives(schema: JsonObject): JsonObject {
  if (schema["anyOf"] !== undefined || schema["allOf"] !== undefined) return schema;
  return { ...schema, anyOf: [{ type: "integer" }, { type: "string" }] };
}
