import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";

/** Fills in a message; what is below it is filled in afterwards. */
export type DefaultRule = (object: JsonObject) => JsonObject;

/** The object with values for keys that it does not have (or has as null). */
export function withMissing(object: JsonObject, values: Readonly<Record<string, Json>>): JsonObject {
  const missing = Object.entries(values).filter(([key]) => (object[key] ?? null) === null);
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
}

/** The object under a key, or an empty one. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** The objects of a list under a key. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

export function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

export function isEmptyObject(object: JsonObject): boolean {
  return Object.keys(object).every((key) => object[key] === undefined);
}
