import { ownValue } from "../core/own-value.ts";
import type { CelValue } from "./cel-value.ts";
import { CelError, celList, isKind, noSuchOverload, typeNameOf } from "./cel-value.ts";
import { compareCel, isCelEqual } from "./compare-cel.ts";
import { listItems, operatorLibrary } from "./library-operators.ts";
import type { Declaration, Overload } from "./overload.ts";
import { withNested } from "./nested-cost.ts";
import { declare, findOverload, sizeOf } from "./overload.ts";

const sortable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const summable = ["int", "uint", "double", "duration"];
/** Texts and lists can be added, too, but a list of them has no sum. */
const summableNames = new Set(["int", "uint", "double", "google.protobuf.Duration"]);
const zeros: Readonly<Record<string, CelValue>> = {
  int: 0n,
  uint: { kind: "uint", value: 0n },
  double: 0,
  duration: { kind: "duration", nanos: 0n },
};

const additions: readonly Overload[] = operatorLibrary
  .filter(({ key }) => key === "_+_")
  .map(({ overload }) => overload);

/** Of a text that is compared with its neighbour. An API server charges for the items only. */
const charactersPerUnit = 64;

function ofSize([list]: readonly CelValue[]): number {
  const characters = listItems(list).reduce<number>((total, item) => total + (isSized(item) ? sizeOf(item) : 0), 0);
  return sizeOf(list) + Math.floor(characters / charactersPerUnit);
}

function isSized(value: CelValue): boolean {
  return typeof value === "string" || value instanceof Uint8Array;
}

function isSorted(list?: CelValue): boolean {
  const items = listItems(list);
  return items.every((item, index) => index === 0 || order(items[index - 1] ?? null, item) <= 0);
}

function order(left: CelValue, right: CelValue): number {
  const result = compareCel(left, right);
  if (result === undefined) throw new CelError(noSuchOverload);
  return result;
}

function extreme(name: "min" | "max", list?: CelValue): CelValue {
  const items = listItems(list);
  const [first, ...rest] = items;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return rest.reduce((best, item) => {
    const isBetter = name === "min" ? order(item, best) < 0 : order(item, best) > 0;
    return isBetter ? item : best;
  }, first);
}

/** What the sum of no items is depends on the type of the list. */
function sum(zero: CelValue, list?: CelValue): CelValue {
  const [first, ...rest] = listItems(list);
  if (first === undefined) return zero;
  if (!summableNames.has(typeNameOf(first))) throw new CelError(noSuchOverload);
  return rest.reduce((total, item) => {
    const addition = findOverload(additions, [total, item]);
    if (addition === undefined) throw new CelError(noSuchOverload);
    return addition.run(total, item);
  }, first);
}

/** Lists as Kubernetes extends them, and optional values. */
export const listLibrary: readonly Declaration[] = [
  ...sortable.map((type) => declare(`list<${type}>.isSorted(): bool`, isSorted, ofSize)),
  ...summable.map((type) =>
    declare(`list<${type}>.sum(): ${type}`, (list) => sum(ownValue(zeros, type) ?? 0n, list), ofSize),
  ),
  ...sortable.map((type) => declare(`list<${type}>.min(): ${type}`, (list) => extreme("min", list), ofSize)),
  ...sortable.map((type) => declare(`list<${type}>.max(): ${type}`, (list) => extreme("max", list), ofSize)),
  declare(
    "list<A>.indexOf(A): int",
    (list, item = null) => BigInt(listItems(list).findIndex((other) => isCelEqual(item, other))),
    withNested(ofSize, { operand: 0 }),
  ),
  declare(
    "list<A>.lastIndexOf(A): int",
    (list, item = null) => BigInt(listItems(list).findLastIndex((other) => isCelEqual(item, other))),
    withNested(ofSize, { operand: 0 }),
  ),
];

function valueOf(optional?: CelValue): CelValue | undefined {
  return optional !== undefined && isKind(optional, "optional") ? optional.value : undefined;
}

/** The time that Go calls zero, the beginning of the year 1. */
const zeroTime = -62_135_596_800_000_000_000n;

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (isKind(value, "uint")) return value.value === 0n;
  if (isKind(value, "duration")) return value.nanos === 0n;
  if (isKind(value, "timestamp")) return value.nanos === zeroTime;
  if (isKind(value, "list") || isKind(value, "map")) return sizeOf(value) === 0;
  return isKind(value, "object") && value.fields.length === 0;
}

/** Reads no other item: the list may be long. */
function itemOf(list: CelValue | undefined, indexIn: (size: number) => number): CelValue {
  if (list === undefined || !isKind(list, "list")) throw new CelError(noSuchOverload);
  return { kind: "optional", value: list.size === 0 ? undefined : list.at(indexIn(list.size)) };
}

function unwrap(list?: CelValue): CelValue {
  const items = listItems(list);
  if (!items.every((item) => isKind(item, "optional"))) throw new CelError(noSuchOverload);
  return celList(items.flatMap(({ value }) => (value === undefined ? [] : [value])));
}

/** Source: cel-go 0.26, the second version of its library of optional values. */
export const optionalLibrary: readonly Declaration[] = [
  declare("optional.of(A): optional<A>", (value = null) => ({ kind: "optional", value })),
  declare("optional.ofNonZeroValue(A): optional<A>", (value = null) => ({
    kind: "optional",
    value: isZero(value) ? undefined : value,
  })),
  declare("optional.none(): optional<A>", () => ({ kind: "optional", value: undefined })),
  declare("optional<A>.hasValue(): bool", (optional) => valueOf(optional) !== undefined),
  declare("optional<A>.value(): A", (optional) => {
    const value = valueOf(optional);
    if (value === undefined) throw new CelError("optional.none() dereference");
    return value;
  }),
  declare("list<A>.first(): optional<A>", (list) => itemOf(list, () => 0)),
  declare("list<A>.last(): optional<A>", (list) => itemOf(list, (size) => size - 1)),
  declare("optional.unwrap(list<optional<A>>): list<A>", unwrap, ofSize),
  declare("list<optional<A>>.unwrapOpt(): list<A>", unwrap, ofSize),
  declare("optional<A>.or(optional<A>): optional<A>", (optional = null, other = null) =>
    valueOf(optional) === undefined ? other : optional,
  ),
  declare("optional<A>.orValue(A): A", (optional, other = null) => {
    const value = valueOf(optional);
    return value === undefined ? other : value;
  }),
];
