import type { Json, JsonObject } from "../../core/json.ts";

/** The fields that name the kind of an object. */
export const typeMetaFields: readonly string[] = ["apiVersion", "kind"];

/** Go's text for the first of the fields that name the kind and are no text. */
export function typeMetaFault(value: JsonObject): string | undefined {
  const found = Object.entries(value).find(
    ([key, one]) => typeMetaFields.includes(key) && one !== null && typeof one !== "string",
  );
  if (found === undefined) return undefined;
  const [key, one = null] = found;
  return `json: cannot unmarshal ${goTypeOf(one)} into Go struct field .${key} of type string`;
}

/** What Go's JSON decoder calls a value. */
export function goTypeOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}
