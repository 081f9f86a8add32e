import { isJsonEqual } from "../core/json.ts";
import type { CelList, CelMap, CelObject, CelValue } from "./cel-value.ts";
import { isKind, itemsOf, mapKey } from "./cel-value.ts";

/** Equality of the language: numbers by value whatever their type; values of different types are not equal. */
export function isCelEqual(left: CelValue, right: CelValue): boolean {
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right) === 0;
  if (left === null || right === null || typeof left !== "object" || typeof right !== "object") return left === right;
  if (left instanceof Uint8Array || right instanceof Uint8Array) {
    return left instanceof Uint8Array && right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  }
  switch (left.kind) {
    case "timestamp":
    case "duration":
      return right.kind === left.kind && left.nanos === right.nanos;
    case "type":
      return right.kind === "type" && left.name === right.name;
    case "list":
      return right.kind === "list" && areListsEqual(left, right);
    case "map":
      return right.kind === "map" && areMapsEqual(left, right);
    case "object":
      return right.kind === "object" && areObjectsEqual(left, right);
    case "optional":
      if (right.kind !== "optional") return false;
      if (left.value === undefined || right.value === undefined) return left.value === right.value;
      return isCelEqual(left.value, right.value);
    case "opaque":
      return right.kind === "opaque" && left.typeName === right.typeName && left.equals(right);
    case "uint":
      return false;
  }
}

function areListsEqual(left: CelList, right: CelList): boolean {
  if (left.size !== right.size) return false;
  const { identity } = left;
  const rightItems = itemsOf(right);
  if (identity === undefined) return itemsOf(left).every((item, index) => isCelEqual(item, rightItems[index] ?? null));
  const identify = identity.type === "set" ? identifyItem : identity.keyOf;
  const others = new Map(rightItems.map((item) => [identify(item), item] as const));
  return itemsOf(left).every((item) => {
    const other = others.get(identify(item));
    return other !== undefined && isCelEqual(item, other);
  });
}

/** The same text for items of a set that are equal. */
export function identifyItem(item: CelValue): string {
  return isKind(item, "object") || isKind(item, "map") || isKind(item, "list") ? textOf(item) : mapKey(item);
}

function textOf(item: CelValue): string {
  if (isKind(item, "list")) return `[${itemsOf(item).map(textOf).join()}]`;
  if (isKind(item, "map"))
    return `{${item.keys
      .map((key) => `${mapKey(key)}:${textOf(item.get(key) ?? null)}`)
      .sort()
      .join()}}`;
  if (!isKind(item, "object")) return JSON.stringify(mapKey(item));
  const fields = item.fields.map((field) => `${field}:${textOf(item.get(field) ?? null)}`);
  return `{${fields.sort().join()}}`;
}

function areMapsEqual(left: CelMap, right: CelMap): boolean {
  if (left.keys.length !== right.keys.length) return false;
  return left.keys.every((key) => {
    const own = left.get(key);
    const other = right.get(key);
    return own !== undefined && other !== undefined && isCelEqual(own, other);
  });
}

function areObjectsEqual(left: CelObject, right: CelObject): boolean {
  if (left.fields.length !== right.fields.length) return false;
  return left.fields.every((field) => {
    const own = left.get(field);
    const other = right.get(field);
    if (own !== undefined && other !== undefined) return isCelEqual(own, other);
    const unknown = left.unknown?.(field);
    const otherUnknown = right.unknown?.(field);
    if (unknown === undefined || otherUnknown === undefined) return own === other;
    return isJsonEqual(unknown, otherUnknown);
  });
}

type Numeric = bigint | number | { readonly kind: "uint"; readonly value: bigint };

export function isNumeric(value: CelValue): value is Numeric {
  return typeof value === "bigint" || typeof value === "number" || isKind(value, "uint");
}

/** NaN (equal to nothing) gives NaN. A whole number beside a float counts as the float next to it. Source: cel-go 0.26. */
export function compareNumbers(left: Numeric, right: Numeric): number {
  const whole = typeof left === "object" ? left.value : left;
  const otherWhole = typeof right === "object" ? right.value : right;
  const hasFloat = typeof whole === "number" || typeof otherWhole === "number";
  const [a, b] = hasFloat ? [Number(whole), Number(otherWhole)] : [whole, otherWhole];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The order of two values of one type, or undefined when the type has none. */
export function compareCel(left: CelValue, right: CelValue): number | undefined {
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right);
  if (typeof left === "string" && typeof right === "string") return compareCodePoints(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  const isTime =
    (isKind(left, "timestamp") && isKind(right, "timestamp")) ||
    (isKind(left, "duration") && isKind(right, "duration"));
  if (isTime && "nanos" in left && "nanos" in right) {
    return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
  }
  return undefined;
}

/** As Go compares texts. Nothing behind the first difference is read. */
function compareCodePoints(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  let at = 0;
  while (at < shared && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  if (at === shared) return left.length - right.length;
  const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
  // Halves of a pair are parts of the highest code points, and not the highest code units.
  return isHalf(a) === isHalf(b) ? a - b : isHalf(a) ? 1 : -1;
}

function isHalf(codeUnit: number): boolean {
  return (codeUnit & 0xf800) === 0xd800;
}
