// Kinds -> the spec that an API server makes of an empty one.
import { dereference } from "./load-schemas.mjs";

/** The default spec of a kind. Source of the rules: Kubernetes, structural schema defaulting. */
export function defaultSpecOf(schema, fragments) {
  return withDefaults({}, dereference(schema, fragments).properties.spec);
}

function withDefaults(value, schema) {
  const filled = { ...value };
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    if (part.default === undefined) continue;
    filled[name] = part.type === "object" ? withDefaults(part.default, part) : part.default;
  }
  return filled;
}
