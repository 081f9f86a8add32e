import { ownValue } from "../../core/own-value.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { canonicalJson, isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { Schema } from "./schema.ts";

/** The old value of a key of a map, when both maps have it and the schema knows it. */
export function oldOfKey(schema: Schema, key: string, old: Json | undefined): Json | undefined {
  if (!isJsonObject(old) || !Object.hasOwn(old, key) || schemaOfKey(schema, key) === undefined) return undefined;
  return old[key];
}

/** The old value of a list item: only items of list maps are found again, by their keys. */
export function oldOfItem(schema: Schema, item: Json, old: Json | undefined): Json | undefined {
  const { items } = schema;
  if (schema["x-kubernetes-list-type"] !== "map" || items === undefined) return undefined;
  if (!Array.isArray(old) || !isJsonObject(item)) return undefined;
  return indexOf(schema, old as readonly Json[]).get(identityOf(schema, item));
}

interface ListIndex {
  readonly schema: Schema;
  readonly items: ReadonlyMap<string, Json>;
}

/** The indexes of searched lists: a search through a list for each item of another takes quadratic time. */
const indexes = new WeakMap<readonly Json[], ListIndex>();

function indexOf(schema: Schema, list: readonly Json[]): ReadonlyMap<string, Json> {
  const known = indexes.get(list);
  if (known?.schema === schema) return known.items;
  const items = new Map<string, Json>();
  for (const item of list) {
    if (!isJsonObject(item)) continue;
    const identity = identityOf(schema, item);
    if (!items.has(identity)) items.set(identity, item);
  }
  indexes.set(list, { schema, items });
  return items;
}

/** The same text for items with the same keys, defaults counted. */
function identityOf(schema: Schema, item: JsonObject): string {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const { properties = {} } = schema.items ?? {};
  return canonicalJson(
    keys.map((key) => (Object.hasOwn(item, key) ? item[key] : undefined) ?? ownValue(properties, key)?.default ?? null),
  );
}

/** True when nothing changed; items of list maps may be in another order. */
export function isUnchanged(schema: Schema, value: Json, old: Json | undefined): boolean {
  if (old === undefined) return false;
  if (Array.isArray(value) && Array.isArray(old)) {
    const list = value as readonly Json[];
    if (list.length !== (old as readonly Json[]).length) return false;
    const { items } = schema;
    if (schema["x-kubernetes-list-type"] !== "map" || items === undefined) return isJsonEqual(value, old);
    return list.every((item) => isUnchanged(items, item, oldOfItem(schema, item, old)));
  }
  if (isJsonObject(value) && isJsonObject(old)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    if (keys.length !== Object.keys(old).filter((key) => old[key] !== undefined).length) return false;
    return keys.every((key) => {
      const property = schemaOfKey(schema, key);
      return property !== undefined && isUnchanged(property, value[key] ?? null, oldOfKey(schema, key, old));
    });
  }
  return isJsonEqual(value, old);
}

function schemaOfKey(schema: Schema, key: string): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
