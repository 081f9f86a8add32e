import { isJsonEqual } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { valueAt } from "../core/read-json.ts";
import { specDefaults } from "../model/generated/defaults.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** What an API server fills into the spec of an object of this kind; empty for a kind that has no defaults here. */
export function specDefaultsOf({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): JsonObject {
  const key = `${apiVersion} ${kind}`;
  return (Object.hasOwn(specDefaults, key) ? specDefaults[key] : undefined) ?? {};
}

/**
 * Whether the value at this path of the object is the one that the API server fills in. In an object that was not created by
 * apply, the field belongs to who created the object, as if that person had set it.
 */
export function isDefaultAt(live: KubeObject, path: readonly string[]): boolean {
  const value = valueAt(live, ...path);
  return value !== undefined && isJsonEqual(value, valueAt({ spec: specDefaultsOf(live) }, ...path));
}
