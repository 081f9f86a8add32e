import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { objectAt, objectsAt } from "../core/read-json.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/**
 * The definition `ours` with the fields, at every depth, that only `live` has, in the versions that both have. A hub deletes the
 * values of a field with the field: a definition that lost one of ours may have one of another version beside it.
 */
export function keepFields(ours: KubeObject, live: KubeObject): KubeObject {
  const spec = objectAt(ours, "spec") ?? {};
  const versions = objectsAt(spec, "versions").map((version) => {
    const served = objectsAt(live, "spec", "versions").find(({ name }) => name === version["name"]);
    const schema = objectAt(version, "schema");
    const kept = withFieldsOf(objectAt(schema, "openAPIV3Schema"), objectAt(served, "schema", "openAPIV3Schema"));
    return kept === undefined ? version : { ...version, schema: { ...schema, openAPIV3Schema: kept } };
  });
  return { ...ours, spec: { ...spec, versions } };
}

function withFieldsOf(ours: Json | undefined, live: Json | undefined): Json | undefined {
  if (!isJsonObject(ours) || !isJsonObject(live)) return ours;
  const merged: Record<string, Json | undefined> = { ...ours };
  for (const below of ["items", "additionalProperties"]) {
    const found = withFieldsOf(ours[below], live[below]);
    if (found !== undefined) merged[below] = found;
  }
  const properties = propertiesOf(ours, live);
  if (properties !== undefined) merged["properties"] = properties;
  return merged;
}

/** In an object without fields that are named, every field is kept anyway, or none was ever. */
function propertiesOf(ours: JsonObject, live: JsonObject): JsonObject | undefined {
  const known = objectAt(ours, "properties");
  if (known === undefined) return undefined;
  const found = objectAt(live, "properties") ?? {};
  const both = Object.entries(known).map(([name, schema]) => [name, withFieldsOf(schema, found[name]) ?? schema]);
  return { ...found, ...Object.fromEntries(both) } as JsonObject;
}
