import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Schema } from "./schema.ts";

/**
 * The object with the defaults of its schema where a field is missing, or null where null is not allowed. Defaults
 * within defaults apply. Source: Kubernetes, defaulting of structural schemas.
 */
export function applyDefaults(object: JsonObject, schema: Schema): JsonObject {
  const defaulted = defaultValue(object, schema);
  return isJsonObject(defaulted) ? defaulted : object;
}

/** The object without nulls where null is not allowed and there is no default for it. */
export function withoutForbiddenNulls(object: JsonObject, schema: Schema | undefined): JsonObject {
  const cleaned = dropNulls(object, schema);
  return isJsonObject(cleaned) ? cleaned : object;
}

function isForbiddenNull(value: Json | undefined, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}

/** A default of null is no default. */
function defaultOf(schema: Schema): Json | undefined {
  return schema.default === null ? undefined : schema.default;
}

function defaultValue(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value;
  if (isJsonObject(value)) return defaultMap(value, schema);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return value;
  return (value as readonly Json[]).map((item) =>
    defaultValue(isForbiddenNull(item, items) ? (items.default ?? null) : item, items),
  );
}

function defaultMap(map: JsonObject, schema: Schema): JsonObject {
  const { properties = {} } = schema;
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const result = new Map<string, Json | undefined>(Object.entries(map));
  for (const [key, property] of Object.entries(properties)) {
    const value = defaultOf(property);
    if (value === undefined) continue;
    const current = result.get(key);
    if (current === undefined || isForbiddenNull(current, property)) result.set(key, value);
  }
  for (const [key, value] of result) {
    if (value === undefined) continue;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property !== undefined) result.set(key, defaultValue(value, property));
    else if (others !== undefined) {
      result.set(key, defaultValue(isForbiddenNull(value, others) ? (others.default ?? null) : value, others));
    }
  }
  return Object.fromEntries(result);
}

function dropNulls(value: Json, schema: Schema | undefined): Json {
  if (isJsonObject(value)) {
    const entries = Object.entries(value).flatMap(([key, item]) => {
      const property = schemaOfKey(schema, key);
      const isDropped =
        item === undefined ||
        (isForbiddenNull(item, property) && property !== undefined && defaultOf(property) === undefined);
      return isDropped ? [] : [[key, dropNulls(item, property)] as const];
    });
    return Object.fromEntries(entries);
  }
  return Array.isArray(value) ? (value as readonly Json[]).map((item) => dropNulls(item, schema?.items)) : value;
}

function schemaOfKey(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
