// Kinds -> self-contained JSON Schemas that refuse what is not known. Files and records are validated by them.
import { dereference, mapSchema } from "./load-schemas.mjs";

/** The strict schema of a kind. A file sets no status. */
export function toStrictSchema(schema, fragments) {
  const { status: _status, ...declared } = schema.properties;
  const isFile = schema["x-rollcall"].in === "file";
  return mapSchema(dereference({ ...schema, properties: isFile ? declared : schema.properties }, fragments), toStrict);
}

function toStrict(schema) {
  const { "x-rollcall": _xRollcall, examples: _examples, ...strict } = schema;
  if (strict.properties && !strict["x-kubernetes-preserve-unknown-fields"]) strict.additionalProperties = false;
  if (strict["x-kubernetes-list-type"] === "set") strict.uniqueItems = true;
  return withBounds(strict.anyOf ? { ...strict, anyOf: strict.anyOf.map(withBounds) } : strict);
}

/** To an API server a number beyond 64 bits is no whole number. */
function withBounds(schema) {
  return schema.type === "integer" ? { format: "int64", ...schema } : schema;
}
