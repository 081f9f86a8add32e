import type { Json, JsonObject } from "../../core/json.ts";
import { canonicalJson, isJsonObject } from "../../core/json.ts";
import { childPath, duplicate, indexPath, invalid, keyPath } from "./field-error.ts";
import type { FieldError, Schema } from "./schema.ts";

/**
 * Items of sets, and keys of list maps, that occur more than once (each is named once). Source: Kubernetes, validation
 * of x-kubernetes-list-type.
 */
export function validateLists(object: JsonObject, schema: Schema, path = ""): FieldError[] {
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const { properties = {} } = schema;
  return Object.entries(object).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [
      ...(others === undefined ? [] : validateValue(value, others, keyPath(path, key))),
      ...(property === undefined ? [] : validateValue(value, property, childPath(path, key))),
    ];
  });
}

function validateValue(value: Json, schema: Schema, path: string): FieldError[] {
  if (isJsonObject(value)) return validateLists(value, schema, path);
  return Array.isArray(value) ? validateList(value as readonly Json[], schema, path) : [];
}

function validateList(list: readonly Json[], schema: Schema, path: string): FieldError[] {
  const { items } = schema;
  const inItems =
    items === undefined ? [] : list.flatMap((item, index) => validateValue(item, items, indexPath(path, index)));
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return [...duplicatesOf(list).map((index) => duplicate(indexPath(path, index), list[index] ?? null)), ...inItems];
    case "map":
      return [...validateMapKeys(list, schema["x-kubernetes-list-map-keys"] ?? [], path), ...inItems];
    default:
      return inItems;
  }
}

function validateMapKeys(list: readonly Json[], keys: readonly string[], path: string): FieldError[] {
  const misfit = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (misfit >= 0) {
    return [invalid(indexPath(path, misfit), list[misfit] ?? null, "must be an object for an array of list-type map")];
  }
  const keyed = list.map((item): Json => {
    if (!isJsonObject(item)) return {};
    const entries = keys.flatMap((key) => {
      const value = Object.hasOwn(item, key) ? item[key] : undefined;
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(entries);
  });
  return duplicatesOf(keyed).map((index) => duplicate(indexPath(path, index), keyed[index] ?? null));
}

/** The index of the second occurrence of each value that occurs more than once. */
function duplicatesOf(list: readonly Json[]): number[] {
  const counts = new Map<string, number>();
  return list.flatMap((item, index) => {
    const key = canonicalJson(item);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 2 ? [index] : [];
  });
}
