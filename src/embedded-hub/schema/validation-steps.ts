import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { memoizeWeak } from "../../core/memoize-weak.ts";
import type { Schema } from "./schema.ts";

/** What defaulting and validating may take: some tenths of a second. A large object of a real kind has a tenth of it. */
export const mostSteps = 300_000;

/** A step is about a microsecond. What is compared or looked up takes parts of one. */
const stepsOfEnumValue = 0.5;
const stepsOfName = 0.05;

interface Tally {
  left: number;
}

/**
 * What is left of `steps` when a value is defaulted and validated by a schema; negative where it is not enough. Lists of both,
 * such as values beside those of an enumeration, items beside their defaults, multiply.
 */
export function stepsLeft(value: Json, schema: Schema, steps = mostSteps): number {
  const tally: Tally = { left: steps };
  count(value, schema, tally);
  return tally.left;
}

function count(value: Json, schema: Schema, tally: Tally): void {
  const { enum: allowed, anyOf = [], oneOf = [], allOf = [], not, items } = schema;
  tally.left -= 1 + (allowed?.length ?? 0) * stepsOfEnumValue;
  for (const alternatives of [anyOf, oneOf, allOf, not === undefined ? [] : [not]]) {
    for (const alternative of alternatives) {
      if (tally.left < 0) return;
      count(value, alternative, tally);
    }
  }
  if (isJsonObject(value)) countMap(value, schema, tally);
  if (!Array.isArray(value) || items === undefined) return;
  for (const item of value as readonly Json[]) {
    if (tally.left < 0) return;
    count(item, items, tally);
  }
}

function countMap(map: JsonObject, schema: Schema, tally: Tally): void {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const { names, defaults } = namesOf(properties);
  tally.left -= (names + required.length) * stepsOfName;
  if (tally.left < 0) return;
  tally.left -= required.filter((key) => map[key] === undefined).length;
  for (const [key, property, value] of defaults) {
    if (tally.left < 0) return;
    if (map[key] === undefined) count(value, property, tally);
  }
  for (const [key, value] of Object.entries(map)) {
    if (tally.left < 0) return;
    const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
    const property = Object.hasOwn(properties, key) ? properties[key] : others;
    if (value !== undefined && property !== undefined) count(value, property, tally);
  }
}

/** How many properties there are, and which have defaults. */
const namesOf = memoizeWeak((properties: Readonly<Record<string, Schema>>) => {
  const entries = Object.entries(properties);
  const defaults = entries.flatMap(([key, property]) => {
    const value = property.default ?? null;
    return value === null ? [] : [[key, property, value] as const];
  });
  return { names: entries.length, defaults };
});
