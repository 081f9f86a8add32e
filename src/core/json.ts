/** Values that JSON can carry. A bigint is a whole number of 64 bits beyond 2^53: see core/exact-json. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

/** True for a plain object; false for null and arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deep equality of JSON values. Keys whose value is undefined count as absent. */
export function isJsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isJsonEqual(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const leftKeys = Object.keys(left).filter((key) => left[key] !== undefined);
  const rightKeys = Object.keys(right).filter((key) => right[key] !== undefined);
  return (
    leftKeys.length === rightKeys.length &&
    leftKeys.every((key) => Object.hasOwn(right, key) && isJsonEqual(left[key], right[key]))
  );
}

/** JSON text with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  const sorted = (_key: string, item: unknown): unknown => {
    if (!isJsonObject(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  };
  return writeJson(value, sorted);
}

/** JSON text of a value, a bigint as a number. The one writer for values that may hold whole numbers beyond 2^53. */
export function stringifyJson(value: unknown): string {
  return writeJson(value);
}

type Replacer = (key: string, item: unknown) => unknown;

function writeJson(value: unknown, replacer?: Replacer): string {
  try {
    return JSON.stringify(value, replacer);
  } catch (error) {
    // JSON.stringify does not know bigint. Values without one, which are nearly all, pay nothing.
    if (!(error instanceof TypeError)) throw error;
    return writeExactly(value, replacer ?? ((_key, item) => item)) ?? "null";
  }
}

function writeExactly(given: unknown, replacer: Replacer): string | undefined {
  const value = replacer("", given);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item: unknown) => writeExactly(item, replacer) ?? "null").join(",")}]`;
  const entries = Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    const text = writeExactly(item, replacer);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${entries.join(",")}}`;
}

/**
 * The value without keys whose value is undefined and without empty objects, at every depth. Apply bodies need it: an API
 * server refuses `{}` as null when it removes the last key of a map. Parts that have nothing of the kind are not copied.
 */
export function withoutEmptyMaps<T>(value: T): T {
  return prune(value) as T;
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => prune(item) ?? {});
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  // Most maps have nothing to take out: a copy is begun where the first such thing is.
  let kept: [string, unknown][] | undefined;
  for (const [index, key] of keys.entries()) {
    const item = prune(value[key]);
    if (item === undefined || item !== value[key])
      kept ??= keys.slice(0, index).map((earlier) => [earlier, value[earlier]]);
    if (item !== undefined) kept?.push([key, item]);
  }
  if (kept === undefined) return keys.length === 0 ? undefined : value;
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
