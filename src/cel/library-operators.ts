import type { CelList, CelValue } from "./cel-value.ts";
import { CelError, celList, isKind, itemsOf, noSuchOverload, typeNameOf } from "./cel-value.ts";
import { floorDivide } from "./format-timestamp.ts";
import { compareCel, compareNumbers, identifyItem, isCelEqual, isNumeric } from "./compare-cel.ts";
import { haveSameSize, takeText, withNested } from "./nested-cost.ts";
import type { Declaration, Meter } from "./overload.ts";
import { declare, sizeOf, traversalCost } from "./overload.ts";

const maximumInt = 2n ** 63n - 1n;
const minimumInt = -(2n ** 63n);
const maximumUint = 2n ** 64n - 1n;

function checkedInt(value: bigint): bigint {
  if (value > maximumInt || value < minimumInt) throw new CelError("integer overflow");
  return value;
}

function checkedUint(value: bigint): CelValue {
  if (value > maximumUint || value < 0n) throw new CelError("unsigned integer overflow");
  return { kind: "uint", value };
}

type IntOperation = (left: bigint, right: bigint) => bigint;

function intOperator(name: string, operation: IntOperation): Declaration[] {
  return [
    declare(`${name}(int, int): int`, (a, b) => checkedInt(operation(intOf(a), intOf(b)))),
    declare(`${name}(uint, uint): uint`, (a, b) => checkedUint(operation(uintOf(a), uintOf(b)))),
  ];
}

function doubleOperator(name: string, operation: (left: number, right: number) => number): Declaration {
  return declare(`${name}(double, double): double`, (a, b) => operation(doubleOf(a), doubleOf(b)));
}

export function intOf(value: CelValue | undefined): bigint {
  return typeof value === "bigint" ? value : 0n;
}

function uintOf(value: CelValue | undefined): bigint {
  return value !== undefined && isKind(value, "uint") ? value.value : 0n;
}

export function doubleOf(value: CelValue | undefined): number {
  return typeof value === "number" ? value : Number.NaN;
}

export function textOf(value: CelValue | undefined): string {
  return typeof value === "string" ? value : "";
}

export function listItems(value: CelValue | undefined): CelValue[] {
  return value !== undefined && isKind(value, "list") ? itemsOf(value) : [];
}

function nanosOf(value: CelValue | undefined): bigint {
  return value !== undefined && (isKind(value, "timestamp") || isKind(value, "duration")) ? value.nanos : 0n;
}

const second = 1_000_000_000n;
const earliestSeconds = -62_135_596_800n;
const latestSeconds = 253_402_300_799n;

function offsetOf(value: CelValue | undefined): number {
  return value !== undefined && isKind(value, "timestamp") ? (value.offset ?? 0) : 0;
}

/** True when so many seconds after 1970 are in the years 1 to 9999. */
export function isMoment(seconds: bigint): boolean {
  return seconds >= earliestSeconds && seconds <= latestSeconds;
}

/** A moment that is written with an offset from UTC (s), default 0. */
export function timestamp(nanos: bigint, offset = 0): CelValue {
  if (!isMoment(floorDivide(nanos, second))) throw new CelError("timestamp overflow");
  return offset === 0 ? { kind: "timestamp", nanos } : { kind: "timestamp", nanos, offset };
}

export function duration(nanos: bigint): CelValue {
  if (nanos > maximumInt || nanos < minimumInt) throw new CelError("integer overflow");
  return { kind: "duration", nanos };
}

function divide(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelError("division by zero");
  return left / right;
}

function modulo(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelError("modulus by zero");
  // The quotient that belongs to this remainder has no place in an int.
  if (left === minimumInt && right === -1n) throw new CelError("integer overflow");
  return left % right;
}

const arithmetic: readonly Declaration[] = [
  ...intOperator("_+_", (a, b) => a + b),
  ...intOperator("_-_", (a, b) => a - b),
  ...intOperator("_*_", (a, b) => a * b),
  ...intOperator("_/_", divide),
  ...intOperator("_%_", modulo),
  doubleOperator("_+_", (a, b) => a + b),
  doubleOperator("_-_", (a, b) => a - b),
  doubleOperator("_*_", (a, b) => a * b),
  doubleOperator("_/_", (a, b) => a / b),
  declare(
    "_+_(string, string): string",
    (a, b) => textOf(a) + textOf(b),
    (values) => traversalCost(...values),
  ),
  declare(
    "_+_(bytes, bytes): bytes",
    (a, b) => Buffer.concat([a, b].flatMap((value) => (value instanceof Uint8Array ? [value] : []))),
    (values) => traversalCost(...values),
  ),
  declare("_+_(list<A>, list<A>): list<A>", addLists, copyCost),
  declare("_+_(duration, duration): duration", (a, b) => duration(nanosOf(a) + nanosOf(b))),
  declare("_+_(timestamp, duration): timestamp", (a, b) => timestamp(nanosOf(a) + nanosOf(b), offsetOf(a))),
  declare("_+_(duration, timestamp): timestamp", (a, b) => timestamp(nanosOf(a) + nanosOf(b), offsetOf(b))),
  declare("_-_(duration, duration): duration", (a, b) => duration(nanosOf(a) - nanosOf(b))),
  declare("_-_(timestamp, duration): timestamp", (a, b) => timestamp(nanosOf(a) - nanosOf(b), offsetOf(a))),
  declare("_-_(timestamp, timestamp): duration", (a, b) => duration(nanosOf(a) - nanosOf(b))),
  declare("-_(int): int", (a) => checkedInt(-intOf(a))),
  declare("-_(double): double", (a) => -doubleOf(a)),
  declare("!_(bool): bool", (a) => a !== true),
];

/** Long lists are copied here, where an API server reads both; those with an identity by all that is in their items. */
function copyCost(values: readonly CelValue[], meter: Meter): number {
  const [left] = values;
  const isIdentified = left !== undefined && isKind(left, "list") && left.identity !== undefined;
  if (isIdentified) for (const list of values) takeText(list, meter);
  return 1 + Math.floor((sizeOf(values[0]) + sizeOf(values[1])) / 2);
}

/** Lists that are sets get what they do not have yet; list maps get items of new keys, and new items of old ones. */
function addLists(left?: CelValue, right?: CelValue): CelValue {
  const leftItems = listItems(left);
  const rightItems = listItems(right);
  const identity = left !== undefined && isKind(left, "list") ? left.identity : undefined;
  if (identity === undefined) return celList([...leftItems, ...rightItems]);
  if (identity.type === "set") {
    const known = new Set(leftItems.map(identifyItem));
    const added = rightItems.filter((item) => !known.has(identifyItem(item)));
    return { ...celList([...leftItems, ...added]), identity };
  }
  const replacements = new Map(rightItems.map((item) => [identity.keyOf(item), item]));
  const kept = leftItems.map((item) => replacements.get(identity.keyOf(item)) ?? item);
  const known = new Set(leftItems.map(identity.keyOf));
  const result: CelList = celList([...kept, ...rightItems.filter((item) => !known.has(identity.keyOf(item)))]);
  return { ...result, identity };
}

const orders: readonly (readonly [string, (order: number) => boolean])[] = [
  ["_<_", (order) => order < 0],
  ["_<=_", (order) => order <= 0],
  ["_>_", (order) => order > 0],
  ["_>=_", (order) => order >= 0],
];

const comparable = ["bool", "string", "bytes", "timestamp", "duration"];
const numeric = ["int", "uint", "double"];

function minimumCost(values: readonly CelValue[]): number {
  return Math.ceil(Math.min(sizeOf(values[0]), sizeOf(values[1])) * 0.1);
}

const comparisons: readonly Declaration[] = orders.flatMap(([name, accepts]) => [
  ...comparable.map((type) =>
    declare(
      `${name}(${type}, ${type}): bool`,
      (a = null, b = null) => accepts(compareCel(a, b) ?? Number.NaN),
      type === "string" || type === "bytes" ? minimumCost : undefined,
    ),
  ),
  ...numeric.flatMap((left) =>
    numeric.map((right) =>
      declare(`${name}(${left}, ${right}): bool`, (a = null, b = null) =>
        isNumeric(a) && isNumeric(b) ? accepts(ordered(compareNumbers(a, b))) : false,
      ),
    ),
  ),
]);

function ordered(order: number): number {
  if (Number.isNaN(order)) throw new CelError("NaN values cannot be ordered");
  return order;
}

/** Items of lists are made to be compared: that takes more time than characters do. */
function equalityCost(values: readonly CelValue[], meter: Meter): number {
  const [left = null] = values;
  if (isKind(left, "opaque")) takeText(left, meter);
  return isKind(left, "list") || isKind(left, "map") ? Math.min(sizeOf(left), sizeOf(values[1])) : minimumCost(values);
}

const comparisonCost = withNested(equalityCost, { isRead: haveSameSize });

/**
 * Values of a library equal their own type only, and `==` beside another one fails; `!=` does not.
 * Source: Kubernetes 1.34, its types of CEL.
 */
function areEqual(left: CelValue, right: CelValue): boolean {
  const isOfLibrary = isKind(left, "opaque") && right !== null;
  if (isOfLibrary && typeNameOf(right) !== left.typeName) throw new CelError(noSuchOverload);
  return isCelEqual(left, right);
}

const equality: readonly Declaration[] = [
  declare("_==_(A, A): bool", (a = null, b = null) => areEqual(a, b), comparisonCost),
  declare("_!=_(A, A): bool", (a = null, b = null) => !isCelEqual(a, b), comparisonCost),
  declare(
    "@in(A, list<A>): bool",
    (item = null, list) => listItems(list).some((other) => isCelEqual(item, other)),
    withNested((values) => sizeOf(values[1])),
  ),
  declare(
    "@in(A, map<A, B>): bool",
    (key = null, map = null) => isKind(map, "map") && map.get(key) !== undefined,
    keyCost,
  ),
];

/** One, and for a key that no map has the text that it is looked up by. */
function keyCost([key]: readonly CelValue[], meter: Meter): number {
  takeText(key, meter);
  return 1;
}

/** Code points, as in Go. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    const isPair = (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
    if (isPair) count -= 1;
  }
  return count;
}

/** An API server takes 1 for any text; to count a very long one takes longer here. */
function sizeCost([text]: readonly CelValue[]): number {
  return 1 + Math.floor(sizeOf(text) / 100);
}

const sizes: readonly Declaration[] = ["size(T): int", "T.size(): int"].flatMap((signature) => [
  declare(signature.replace("T", "string"), (text) => BigInt(countCharacters(textOf(text))), sizeCost),
  declare(signature.replace("T", "bytes"), (bytes) => BigInt(bytes instanceof Uint8Array ? bytes.length : 0)),
  declare(signature.replace("T", "list<A>"), (list) => BigInt(sizeOf(list))),
  declare(signature.replace("T", "map<A, B>"), (map) => BigInt(sizeOf(map))),
]);

/** Each item of one list is compared with each of the other. */
const setCost = withNested(productCost, { times: ([left]) => sizeOf(left) });

const setFunctions: readonly Declaration[] = [
  declare("sets.contains(list<A>, list<A>): bool", containsAll, setCost),
  declare("sets.equivalent(list<A>, list<A>): bool", (a, b) => containsAll(a, b) && containsAll(b, a), setCost),
  declare(
    "sets.intersects(list<A>, list<A>): bool",
    (a, b) => listItems(a).some((item) => listItems(b).some((other) => isCelEqual(item, other))),
    setCost,
  ),
];

function containsAll(list?: CelValue, wanted?: CelValue): boolean {
  const items = listItems(list);
  return listItems(wanted).every((item) => items.some((other) => isCelEqual(item, other)));
}

/** An API server takes nothing for a list beside an empty one. Its items are read here. */
function productCost(values: readonly CelValue[]): number {
  const [left, right] = [sizeOf(values[0]), sizeOf(values[1])];
  return Math.max(left * right + 1, Math.floor((left + right) / itemsPerUnit));
}

const itemsPerUnit = 16;

export const operatorLibrary: readonly Declaration[] = [
  ...arithmetic,
  ...comparisons,
  ...equality,
  ...sizes,
  ...setFunctions,
];
