import type { Schema } from "../schema/schema.ts";
import { schemaOfMessage } from "./schema-of.ts";

/**
 * The schema of a custom kind with what every object has besides: apiVersion, kind and metadata, at the root and in
 * embedded resources. For server-side apply and OpenAPI; pruning, defaulting and validation take the schema of the CRD
 * as it is. Source: Kubernetes, OpenAPI of custom resources.
 */
export function customSchema(schema: Schema): Schema {
  const completed = completeEmbedded(schema);
  return { ...completed, type: "object", properties: { ...completed.properties, ...typeAndMetadata() } };
}

function typeAndMetadata(): Readonly<Record<string, Schema>> {
  return { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: schemaOfMessage("meta.ObjectMeta") };
}

function completeEmbedded(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const completed = Object.entries(properties ?? {}).map(
    ([name, property]) => [name, completeEmbedded(property)] as const,
  );
  const ownProperties = { ...Object.fromEntries(completed), ...(isEmbedded ? typeAndMetadata() : {}) };
  return {
    ...schema,
    ...(properties || isEmbedded ? { properties: ownProperties } : {}),
    ...(items ? { items: completeEmbedded(items) } : {}),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: completeEmbedded(additionalProperties) }
      : {}),
  };
}
