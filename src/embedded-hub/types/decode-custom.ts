import { appendAll } from "../../core/append-all.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { withoutForbiddenNulls } from "../schema/apply-defaults.ts";
import { childPath, indexPath, invalid, keyPath } from "../schema/field-error.ts";
import { pruneUnknown } from "../schema/prune-unknown.ts";
import type { Schema } from "../schema/schema.ts";
import { decodeBuiltIn } from "./decode-built-in.ts";
import { messageType } from "./type-registry.ts";

export interface DecodedCustom {
  /** Metadata in canonical form, without unknown fields and forbidden nulls; not yet defaulted. */
  readonly object: JsonObject;
  /** Of metadata in the order of the document, then of the rest, sorted. */
  readonly unknownFields: readonly string[];
  /** Why the object cannot be read at all. */
  readonly error?: string;
}

/**
 * Reads a custom object by its CRD's schema (not the one completed with metadata). Undefined `schema`: a version
 * without one keeps everything. `keepsNulls`: forbidden nulls stay, for validation to refuse (default false).
 * Source: Kubernetes, decoding of custom resources.
 */
export function decodeCustom(
  object: JsonObject,
  schema: Schema | undefined,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): DecodedCustom {
  const metadata = decodeMetadata(object["metadata"]);
  if (metadata.error !== undefined) return { object, unknownFields: [], error: metadata.error };
  const root = schema ?? { "x-kubernetes-preserve-unknown-fields": true };
  const pruned = pruneUnknown(object, root);
  const embedded: Walk = { unknownFields: [] };
  const cleaned = keepsNulls ? pruned.object : withoutForbiddenNulls(pruned.object, root);
  const coerced = coerceEmbedded(embedded, cleaned, root, { field: "", path: "" });
  const rest = isJsonObject(coerced) ? coerced : {};
  return {
    object: metadata.value === undefined ? rest : { ...rest, metadata: metadata.value },
    unknownFields: [
      ...metadata.unknownFields.map((name) => `metadata.${name}`),
      ...pruned.unknownFields,
      ...embedded.unknownFields.sort(),
    ],
    ...(embedded.error === undefined ? {} : { error: embedded.error }),
  };
}

interface Walk {
  readonly unknownFields: string[];
  error?: string;
}

interface Place {
  /** As messages about fields name it. */
  readonly field: string;
  /** As lists of unknown fields name it. */
  readonly path: string;
}

function decodeMetadata(value: Json | undefined): {
  readonly value?: JsonObject;
  readonly unknownFields: readonly string[];
  readonly error?: string;
} {
  if (value === undefined) return { unknownFields: [] };
  if (value === null) return { value: {}, unknownFields: [] };
  if (!isJsonObject(value)) {
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return { unknownFields: [], error: `json: cannot unmarshal ${kind} into Go value of type v1.ObjectMeta` };
  }
  const decoded = decodeBuiltIn(messageType("meta.ObjectMeta"), value);
  return {
    value: decoded.object,
    unknownFields: decoded.unknownFields,
    ...(decoded.error === undefined ? {} : { error: decoded.error }),
  };
}

/** Checks and normalises apiVersion, kind and metadata of objects within the object. */
function coerceEmbedded(walk: Walk, value: Json, schema: Schema, place: Place): Json {
  if (isJsonObject(value)) return coerceMap(walk, value, schema, place);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return value;
  return (value as readonly Json[]).map((item, index) =>
    coerceEmbedded(walk, item, items, { field: indexPath(place.field, index), path: `${place.path}[${index}]` }),
  );
}

function coerceMap(walk: Walk, map: JsonObject, schema: Schema, place: Place): JsonObject {
  const { properties = {} } = schema;
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const entries = Object.entries(map).map(([key, item]): [string, Json | undefined] => {
    if (item === undefined) return [key, item];
    const value = isEmbedded ? coerceSystemField(walk, key, item, place) : item;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const path = place.path === "" ? key : `${place.path}.${key}`;
    if (property !== undefined) {
      return [key, coerceEmbedded(walk, value, property, { field: childPath(place.field, key), path })];
    }
    if (others === undefined) return [key, value];
    return [key, coerceEmbedded(walk, value, others, { field: keyPath(place.field, key), path })];
  });
  return Object.fromEntries(entries);
}

function coerceSystemField(walk: Walk, key: string, value: Json, place: Place): Json {
  const field = childPath(place.field, key);
  if (key === "apiVersion" || key === "kind") {
    if (typeof value !== "string") fail(walk, field, value, "must be a string");
    return value;
  }
  if (key !== "metadata") return value;
  const decoded = decodeMetadata(value);
  if (decoded.error !== undefined) fail(walk, field, value, decoded.error);
  appendAll(
    walk.unknownFields,
    decoded.unknownFields.map((name) => `${field}.${name}`),
  );
  return decoded.value ?? value;
}

function fail(walk: Walk, field: string, value: Json, detail: string): void {
  walk.error ??= `${field}: ${invalid(field, value, detail).message}`;
}
