import { describe, expect, it } from "vitest";
import type { CelList, CelObject, CelValue } from "../../../src/cel/cel-value.ts";
import { celList, isKind, mapKey } from "../../../src/cel/cel-value.ts";
import { isCelEqual } from "../../../src/cel/compare-cel.ts";
import type { Json } from "../../../src/core/json.ts";
import { celOutcome } from "../../support/cel-outcome.ts";

function object(known: Readonly<Record<string, CelValue>>, unknown: Readonly<Record<string, Json>> = {}): CelObject {
  const fields = [...Object.keys(known), ...Object.keys(unknown)];
  return { kind: "object", typeName: "T", fields, get: (field) => known[field], unknown: (field) => unknown[field] };
}

function setOf(...items: CelValue[]): CelList {
  return { ...celList(items), identity: { type: "set" } };
}

function nameOf(item: CelValue): string {
  return isKind(item, "object") ? mapKey(item.get("name") ?? null) : "";
}

function listMapOf(...items: CelValue[]): CelList {
  return { ...celList(items), identity: { type: "map", keyOf: nameOf } };
}

const a1 = object({ name: "a", v: 1n });
const a2 = object({ name: "a", v: 2n });
const b1 = object({ name: "b", v: 1n });

describe("objects of a schema", () => {
  it.each<[string, CelValue, CelValue, boolean]>([
    ["the same fields", a1, object({ v: 1n, name: "a" }), true],
    ["another value of a field", a1, a2, false],
    ["a field more", a1, object({ name: "a", v: 1n, w: 1n }), false],
    ["a field less", object({ name: "a", v: 1n, w: 1n }), a1, false],
    ["another field", a1, object({ name: "a", w: 1n }), false],
    ["the same field that no expression sees", object({}, { x: [1] }), object({}, { x: [1] }), true],
    ["another value that no expression sees", object({}, { x: [1] }), object({}, { x: [2] }), false],
    ["a field that an expression sees in one only", object({ x: 1n }), object({}, { x: 1 }), false],
    ["a field that an expression sees in the other only", object({}, { x: 1 }), object({ x: 1n }), false],
    ["a map", object({}), { kind: "map", keys: [], get: () => undefined }, false],
    ["a list", object({}), celList([]), false],
  ])("equal or differ from one with %s", (_what, left, right, isEqual) => {
    expect(isCelEqual(left, right)).toBe(isEqual);
  });
});

describe("lists that a schema calls a set or a map", () => {
  it.each<[string, CelValue, CelValue, boolean]>([
    ["a set in another order", setOf(1n, 2n), celList([2n, 1n]), true],
    ["a set with another item", setOf(1n, 2n), celList([1n, 3n]), false],
    ["a set with an item more", setOf(1n, 2n), celList([1n, 2n, 3n]), false],
    [
      "a set of lists in another order",
      setOf(celList([1n]), celList([2n])),
      celList([celList([2n]), celList([1n])]),
      true,
    ],
    ["a set of lists with another item", setOf(celList([1n])), celList([celList([2n])]), false],
    ["a set of objects in another order", setOf(a1, b1), celList([b1, a1]), true],
    ["a set of objects with another item", setOf(a1, b1), celList([b1, a2]), false],
    ["items by their keys in another order", listMapOf(a1, b1), celList([b1, a1]), true],
    ["items by their keys with another value", listMapOf(a1, b1), celList([b1, a2]), false],
    ["items by their keys with another key", listMapOf(a1), celList([b1]), false],
    ["a list in another order", celList([1n, 2n]), celList([2n, 1n]), false],
  ])("%s", (_what, left, right, isEqual) => {
    expect(isCelEqual(left, right)).toBe(isEqual);
  });

  const values = {
    set: setOf("x", "y"),
    maps: setOf(object({ k: "x" })),
    named: listMapOf(a1, b1),
    other: celList([a2]),
  };

  it.each([
    "(set + ['x', 'z']) == ['x', 'y', 'z']",
    "(set + ['x', 'z']) == ['z', 'y', 'x']",
    "(set + []).size() == 2",
    "(maps + maps).size() == 1",
    "(named + other).map(item, item.v) == [2, 1]",
    "(named + named).size() == 2",
  ])("are added without what they have: %s", (text) => {
    expect(celOutcome(text, values)).toBe(true);
  });
});

describe("values of one type and of others", () => {
  it.each([
    ["timestamp(1) == timestamp(2)", false],
    ["duration('1s') == duration('2s')", false],
    ["optional.of([1]) == optional.of([1])", true],
    ["optional.of([1]) == optional.of([2])", false],
    ["optional.of([1]) == optional.none()", false],
    ["optional.none() == optional.of([1])", false],
    ["dyn(optional.none()) == dyn(timestamp(0))", false],
    ["dyn([]) == dyn('')", false],
    ["dyn([]) == dyn(optional.none())", false],
    ["dyn({}) == dyn([])", false],
    ["dyn(type(1)) == dyn([])", false],
    ["dyn(1u) == dyn([])", false],
    ["dyn(b'') == dyn([])", false],
    ["dyn([]) == dyn(b'')", false],
    ["{dyn('n1'): 1, dyn(1): 2, dyn('btrue'): 3, dyn(true): 4}.size() == 4", true],
  ])("%s is %s", (text, expected) => {
    expect(celOutcome(text)).toBe(expected);
  });
});
