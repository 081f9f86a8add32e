import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";

type Path = readonly (string | number)[];

/** The value at a path of keys and indices; undefined when any step is missing. */
export function valueAt(value: unknown, ...path: Path): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current) && typeof step === "number") current = current[step];
    else if (isJsonObject(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return current;
}

/** The text at a path, or undefined when there is none or it is not a text. */
export function textAt(value: unknown, ...path: Path): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** The number at a path, or undefined. A whole number beyond 2^53 is rounded: for comparisons. */
export function numberAt(value: unknown, ...path: Path): number | undefined {
  const found = valueAt(value, ...path);
  if (typeof found === "bigint") return Number(found);
  return typeof found === "number" ? found : undefined;
}

/** True when the value at a path is `true`. */
export function isTrueAt(value: unknown, ...path: Path): boolean {
  return valueAt(value, ...path) === true;
}

/** The object at a path, or undefined. */
export function objectAt(value: unknown, ...path: Path): JsonObject | undefined {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : undefined;
}

/** The objects of the list at a path; other items are left out. */
export function objectsAt(value: unknown, ...path: Path): readonly JsonObject[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

/** The texts of the list at a path; other items are left out. */
export function textsAt(value: unknown, ...path: Path): readonly string[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter((item): item is string => typeof item === "string") : [];
}

/** The entries of the map at a path whose values are texts. */
export function textMapAt(value: unknown, ...path: Path): Readonly<Record<string, string>> {
  const found = objectAt(value, ...path);
  if (found === undefined) return {};
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
