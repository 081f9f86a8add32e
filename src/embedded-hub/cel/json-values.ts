import type { Json } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
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
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return {
    kind: "map",
    keys,
    get: (key) => {
      const item = typeof key === "string" && Object.hasOwn(value, key) ? value[key] : undefined;
      return item === undefined ? undefined : celOfJson(item);
    },
  };
}

export function celOfNumber(value: number): CelValue {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}
