import { appendAll } from "../../core/append-all.ts";
import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt } from "../../core/read-json.ts";
import { invalid } from "../schema/field-error.ts";
import { pruneUnknown } from "../schema/prune-unknown.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateBySchema } from "../schema/validate-object.ts";

/** Defaults must fit the schema that contains them. Source: apiextensions-apiserver, apiserver/schema/defaulting. */
export function validateDefaults(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const value = schema["default"];
  if (value !== undefined) {
    const field = `${path}.default`;
    if (isJsonObject(value) && !isJsonEqual(pruneUnknown(value, schema).object, value)) {
      errors.push(invalid(field, value, "must not have unknown fields"));
    }
    appendAll(errors, validateBySchema(value, schema, { path: field }));
  }
  const items = objectAt(schema, "items");
  if (items !== undefined) appendAll(errors, validateDefaults(items, `${path}.items`));
  for (const [name, property] of Object.entries(objectAt(schema, "properties") ?? {})) {
    if (isJsonObject(property)) appendAll(errors, validateDefaults(property, `${path}.properties[${name}]`));
  }
  return errors;
}
