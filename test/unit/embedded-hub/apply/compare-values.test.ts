import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { compareValues } from "../../../../src/embedded-hub/apply/compare-values.ts";
import { everyType, items, textsOf } from "./apply-builders.ts";

function changes(before: Json, after: Json): string[] {
  const { removed, modified, added } = compareValues(everyType, before, after);
  return [
    ...textsOf(removed).map((path) => `-${path}`),
    ...textsOf(modified).map((path) => `~${path}`),
    ...textsOf(added).map((path) => `+${path}`),
  ];
}

describe("compareValues", () => {
  it.each<{ before: Json; after: Json; expected: readonly string[] }>([
    { before: { text: "a" }, after: { text: "a" }, expected: [] },
    { before: { text: "a" }, after: { text: "b" }, expected: ["~.text"] },
    { before: {}, after: { text: "b" }, expected: ["+.text"] },
    { before: { text: "a" }, after: {}, expected: ["-.text"] },
    { before: { text: "a" }, after: { text: null }, expected: ["~.text"] },
    {
      before: { map: { a: "1", b: "1" } },
      after: { map: { b: "2", c: "1" } },
      expected: ["-.map.a", "~.map.b", "+.map.c"],
    },
    { before: {}, after: { map: {} }, expected: ["+.map"] },
    { before: { map: {} }, after: {}, expected: ["-.map"] },
    { before: {}, after: { map: { a: "1" } }, expected: ["+.map", "+.map.a"] },
    { before: { map: { a: "1" } }, after: {}, expected: ["-.map", "-.map.a"] },
    { before: { map: { a: "1" } }, after: { map: {} }, expected: ["-.map.a"] },
    { before: { map: {} }, after: { map: null }, expected: ["~.map"] },
    { before: { whole: { a: "1" } }, after: { whole: { a: "1", b: "2" } }, expected: ["~.whole"] },
    { before: {}, after: { whole: { a: "1" } }, expected: ["+.whole"] },
    { before: { whole: { a: "1" } }, after: {}, expected: ["-.whole"] },
    { before: { list: ["a"] }, after: { list: ["a", "b"] }, expected: ["~.list"] },
    { before: { list: ["a"] }, after: {}, expected: ["-.list"] },
    { before: { set: ["a", "b"] }, after: { set: ["b", "c"] }, expected: ["-.set[=a]", "+.set[=c]"] },
    { before: { set: ["a", "b"] }, after: { set: ["b", "a"] }, expected: [] },
    { before: { set: ["a"] }, after: {}, expected: ["-.set", "-.set[=a]"] },
    { before: {}, after: { set: [] }, expected: ["+.set"] },
    { before: { set: null }, after: { set: [] }, expected: ["~.set"] },
    { before: { set: [] }, after: { set: ["a"] }, expected: ["+.set[=a]"] },
    { before: { any: [1] }, after: { any: { a: 1 } }, expected: ["~.any", "+.any.a"] },
    { before: { any: [1] }, after: {}, expected: ["-.any"] },
    { before: {}, after: { any: "x" }, expected: ["+.any"] },
    {
      before: { fields: { deep: { c: "1" } } },
      after: { fields: { deep: { c: "2" } } },
      expected: ["~.fields.deep.c"],
    },
    { before: { any: { a: 1 } }, after: { any: { a: 2, b: 1 } }, expected: ["~.any.a", "+.any.b"] },
    { before: { any: "x" }, after: { any: { a: 1 } }, expected: ["~.any", "+.any.a"] },
    { before: { any: null }, after: { any: { a: 1 } }, expected: ["+.any.a"] },
    { before: { any: { a: 1 } }, after: { any: 5 }, expected: ["-.any.a", "~.any"] },
    { before: { map: { a: "1" } }, after: { map: { a: "1", constructor: "2" } }, expected: ["+.map.constructor"] },
  ])("from $before to $after is $expected", ({ before, after, expected }) => {
    expect(changes(before, after)).toEqual(expected);
  });

  it.each([
    { before: "a=1 b=1", after: "a=1 b=2", expected: ["~.items[b].v"] },
    { before: "a=1", after: "a=1 b=2", expected: ["+.items[b]", "+.items[b].name", "+.items[b].v"] },
    { before: "a=1 b", after: "a=1", expected: ["-.items[b]", "-.items[b].name"] },
    { before: "a b", after: "b a", expected: [] },
    { before: "a=1 a=2", after: "a=1 a=2", expected: [] },
    { before: "a=1 a=2", after: "a=1 a=3", expected: ["~.items[a]"] },
    { before: "a=1 a=2", after: "b", expected: ["-.items[a]", "+.items[b]", "+.items[b].name"] },
    { before: "a=1 a=2", after: "a=1", expected: ["-.items[a]", "+.items[a]", "+.items[a].name", "+.items[a].v"] },
    { before: "a=1", after: "a=1 a=2", expected: ["-.items[a]", "-.items[a].name", "-.items[a].v", "+.items[a]"] },
    { before: "", after: "a=1 a=2", expected: ["+.items[a]"] },
  ])("from the items $before to $after is $expected", ({ before, after, expected }) => {
    const of = (list: string): Json => ({ items: items(list) });
    const found = changes(of(before), of(after));
    expect(found).toEqual(expected);
  });
});
