import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";

/** Maps that a schema calls atomic: they have one owner as a whole. */
const atomicMaps: ReadonlySet<string> = new Set(["selector"]);

/** The fields that an apply of this value owns; a list counts as a whole. Source: Kubernetes API, meta/v1 FieldsV1. */
export function appliedFields(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [`f:${key}`, isJsonObject(item) && !atomicMaps.has(key) ? appliedFields(item) : {}]),
  );
}

/** The value with defaults for missing fields, at every depth. */
export function withDefaults(value: JsonObject, defaults: JsonObject): JsonObject {
  const filled: Record<string, Json | undefined> = { ...value };
  for (const [key, item] of Object.entries(defaults)) {
    const own = value[key];
    if (own === undefined) filled[key] = item;
    else if (isJsonObject(own) && isJsonObject(item)) filled[key] = withDefaults(own, item);
  }
  return filled;
}
