import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Schema } from "./schema.ts";

export interface Pruned {
  readonly object: JsonObject;
  /** `spec.foo`, `spec.list[0].bar`; sorted, as an API server names them in Strict and Warn. */
  readonly unknownFields: readonly string[];
}

const typeAndMetadata = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Drops what the schema of a custom kind does not know. apiVersion, kind and metadata stay, at the root and in embedded
 * resources. Source: Kubernetes, pruning of structural schemas.
 */
export function pruneUnknown(object: JsonObject, schema: Schema): Pruned {
  const unknownFields: string[] = [];
  const pruned = prune({ unknownFields, path: "" }, object, { ...schema, "x-kubernetes-embedded-resource": true });
  return { object: isJsonObject(pruned) ? pruned : {}, unknownFields: unknownFields.sort() };
}

interface Place {
  readonly unknownFields: string[];
  readonly path: string;
}

function prune(place: Place, value: Json, schema: Schema | undefined): Json {
  if (schema?.["x-kubernetes-preserve-unknown-fields"] === true) return keep(place, value, schema);
  if (isJsonObject(value)) return pruneMap(place, value, schema, false);
  if (!Array.isArray(value)) return value;
  return (value as readonly Json[]).map((item, index) => prune(atIndex(place, index), item, schema?.items));
}

/** Inside a value that keeps unknown fields only what is declared is pruned. */
function keep(place: Place, value: Json, schema: Schema): Json {
  if (isJsonObject(value)) return pruneMap(place, value, schema, true);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return value;
  return (value as readonly Json[]).map((item, index) => keep(atIndex(place, index), item, items));
}

function pruneMap(place: Place, map: JsonObject, schema: Schema | undefined, keepsUnknown: boolean): JsonObject {
  const isEmbedded = schema?.["x-kubernetes-embedded-resource"] === true;
  const others = schema?.additionalProperties;
  const kept: [string, Json][] = [];
  for (const [key, value] of Object.entries(map)) {
    if (value === undefined) continue;
    const property = propertyOf(schema, key);
    const isSystem = isEmbedded && typeAndMetadata.has(key);
    if (isSystem) kept.push([key, value]);
    else if (property !== undefined) kept.push([key, prune(atKey(place, key), value, property)]);
    else if (others !== undefined) {
      kept.push([key, prune(atKey(place, key), value, typeof others === "object" ? others : undefined)]);
    } else if (keepsUnknown) kept.push([key, value]);
    else if (place.path !== "" || !typeAndMetadata.has(key)) place.unknownFields.push(atKey(place, key).path);
  }
  return Object.fromEntries(kept);
}

function propertyOf(schema: Schema | undefined, key: string): Schema | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function atKey({ unknownFields, path }: Place, key: string): Place {
  return { unknownFields, path: path === "" ? key : `${path}.${key}` };
}

function atIndex({ unknownFields, path }: Place, index: number): Place {
  return { unknownFields, path: `${path}[${index}]` };
}
