import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import type { CelValue } from "./cel-value.ts";

/** A JSON value as a value of the language that nothing is known of: whole numbers are int, others double. */
export function celOfJson(value: Json | undefined): CelValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return celOfNumber(value);
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    return { kind: "list", size: list.length, at: (index) => celOfJson(list[index]) };
  }
  if (!isJsonObject(value)) return null;
  return {
    kind: "map",
    // An expression that only looks up one key does not pay for all of them.
    get keys() {
      return keysOf(value);
    },
    get: (key) => {
      const item = typeof key === "string" ? ownItem(value, key) : undefined;
      return item === undefined ? undefined : celOfJson(item);
    },
  };
}

/** The keys that have a value: read once for an object, for a loop that ends in its first turn costs next to nothing. */
export const keysOf = memoizeWeak((object: JsonObject): readonly string[] =>
  Object.keys(object).filter((key) => object[key] !== undefined),
);

/** Keys up to this length are looked up in the object itself. */
const shortKey = 64;
const entriesOf = memoizeWeak((object: JsonObject) => new Map(Object.entries(object)));

/**
 * The own field of an object, or undefined. A lookup of a long text in an object reads the whole text each time; in a Map
 * only the first one does.
 */
export function ownItem(object: JsonObject, key: string): Json | undefined {
  if (key.length <= shortKey) return Object.hasOwn(object, key) ? object[key] : undefined;
  return entriesOf(object).get(key);
}

export function celOfNumber(value: number): CelValue {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}
