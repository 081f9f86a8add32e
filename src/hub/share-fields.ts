import { BoundedCache } from "../core/bounded-cache.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** Sets of fields that are remembered. Some dozens are those of nearly all objects. */
const mostSets = 1000;

/**
 * Lets the objects of a hub share one copy of each set of fields that a writer owns (`fieldsV1`): it is the same for thousands of
 * members, and was a third of the memory of an object. Call it with an object before others see it. An object that cannot be
 * changed, or that computes its fields when they are asked for, stays as it is: a plan has such ones.
 */
export function createFieldSharing(): (object: KubeObject) => void {
  const shared = new BoundedCache<string, JsonObject>({ limit: mostSets });
  return ({ metadata }) => {
    for (const entry of metadata.managedFields ?? []) {
      const property = Object.getOwnPropertyDescriptor(entry, "fieldsV1");
      const fields: unknown = property?.value;
      if (property?.writable !== true || !isJsonObject(fields)) continue;
      const text = JSON.stringify(fields);
      const known = shared.get(text);
      if (known === undefined) shared.set(text, fields);
      else entry.fieldsV1 = known;
    }
  };
}
