import { isJsonEqual, isJsonObject } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { ownValue } from "../core/own-value.ts";
import { valueAt } from "../core/read-json.ts";
import { specDefaults } from "../model/generated/defaults.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { withDefaults } from "./applied-fields.ts";

/** What an API server fills into the spec of an object of this kind; empty for a kind that has no defaults here. */
export function specDefaultsOf({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): JsonObject {
  return ownValue(specDefaults, `${apiVersion} ${kind}`) ?? {};
}

/** The spec as an API server stores it: with defaults for missing fields. */
export function defaultedSpecOf(object: KubeObject): JsonObject {
  const { spec } = object;
  return withDefaults(isJsonObject(spec) ? spec : {}, specDefaultsOf(object));
}

/**
 * Whether the value at this path of the object is the one that the API server fills in. In an object that was not created by
 * apply, the field belongs to who created the object, as if that person had set it.
 */
export function isDefaultAt(live: KubeObject, path: readonly string[]): boolean {
  const value = valueAt(live, ...path);
  return value !== undefined && isJsonEqual(value, valueAt({ spec: specDefaultsOf(live) }, ...path));
}
