import { isJsonObject } from "./json.ts";

/**
 * True when `actual` contains everything in `wanted`. Defaults that a server adds to maps are ignored; lists have the
 * same items in the same order; an empty map or list may be absent.
 */
export function isContained(wanted: unknown, actual: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return wanted.length === 0 && actual === undefined;
    return wanted.length === actual.length && wanted.every((item, index) => isContained(item, actual[index]));
  }
  if (isJsonObject(wanted)) {
    const found = isJsonObject(actual) ? actual : actual === undefined ? {} : undefined;
    if (found === undefined) return false;
    return Object.entries(wanted).every(([key, value]) => value === undefined || isContained(value, found[key]));
  }
  return wanted === actual;
}
