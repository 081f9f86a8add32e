import type { Json } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";

/** What a schema has and a value does not, as paths; of a list, what none of its items has. */
export function missingFields(schema: Json | undefined, value: Json | undefined, path = ""): string[] {
  if (value === undefined) return [path];
  if (!isJsonObject(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${path}[]`];
    const all = (value as readonly Json[]).map((item) => missingFields(items, item, `${path}[]`));
    return [...new Set(all.flat())].filter((missing) => all.every((other) => isMissingIn(missing, other)));
  }
  if (!isJsonObject(value)) return [];
  if (isJsonObject(additionalProperties)) {
    return missingFields(additionalProperties, Object.values(value)[0], `${path}.<key>`);
  }
  return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, part]) =>
    missingFields(part, value[name], path === "" ? name : `${path}.${name}`),
  );
}

function isMissingIn(path: string, missing: readonly string[]): boolean {
  return missing.some((other) => path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`));
}
