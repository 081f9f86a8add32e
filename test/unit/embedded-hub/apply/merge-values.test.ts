import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { mergeTypeOf } from "../../../../src/embedded-hub/apply/merge-type.ts";
import { mergeValues } from "../../../../src/embedded-hub/apply/merge-values.ts";
import { everyType, items } from "./apply-builders.ts";

describe("mergeValues", () => {
  it.each<{ reason: string; live: Json; intent: Json; merged: Json }>([
    { reason: "replaces a leaf", live: { text: "a" }, intent: { text: "b" }, merged: { text: "b" } },
    {
      reason: "keeps a leaf that is not named",
      live: { text: "a" },
      intent: { number: 1 },
      merged: { text: "a", number: 1 },
    },
    { reason: "takes an explicit null", live: { text: "a" }, intent: { text: null }, merged: { text: null } },
    {
      reason: "merges a map by its keys",
      live: { map: { a: "1", b: "1" } },
      intent: { map: { b: "2", c: "2" } },
      merged: { map: { a: "1", b: "2", c: "2" } },
    },
    {
      reason: "merges fields at any depth",
      live: { fields: { a: "1", deep: { c: "1" } } },
      intent: { fields: { b: "2", deep: {} } },
      merged: { fields: { a: "1", b: "2", deep: { c: "1" } } },
    },
    { reason: "keeps an empty map of the intent", live: {}, intent: { map: {} }, merged: { map: {} } },
    {
      reason: "keeps an empty map of the live object",
      live: { map: {} },
      intent: { text: "a" },
      merged: { map: {}, text: "a" },
    },
    {
      reason: "keeps a map when the intent has an empty one",
      live: { map: { a: "1" } },
      intent: { map: {} },
      merged: { map: { a: "1" } },
    },
    {
      reason: "replaces an atomic map",
      live: { whole: { a: "1", b: "1" } },
      intent: { whole: { a: "2" } },
      merged: { whole: { a: "2" } },
    },
    {
      reason: "keeps an atomic map that is not named",
      live: { whole: { a: "1" } },
      intent: {},
      merged: { whole: { a: "1" } },
    },
    { reason: "replaces an atomic list", live: { list: ["a", "b"] }, intent: { list: ["c"] }, merged: { list: ["c"] } },
    { reason: "keeps an atomic list that is not named", live: { list: ["a"] }, intent: {}, merged: { list: ["a"] } },
    {
      reason: "adds to a set what is not in it",
      live: { set: ["a", "b"] },
      intent: { set: ["b", "c"] },
      merged: { set: ["a", "b", "c"] },
    },
    { reason: "keeps an empty list of the intent", live: {}, intent: { set: [] }, merged: { set: [] } },
    {
      reason: "keeps a set when the intent has an empty one",
      live: { set: ["a"] },
      intent: { set: [] },
      merged: { set: ["a"] },
    },
    {
      reason: "merges what nothing is declared of",
      live: { any: { a: 1 }, free: { x: [1] } },
      intent: { any: { b: 2 }, free: { x: [2], y: 1 } },
      merged: { any: { a: 1, b: 2 }, free: { x: [2], y: 1 } },
    },
    {
      reason: "takes another type of an undeclared value",
      live: { any: { a: 1 } },
      intent: { any: "x" },
      merged: { any: "x" },
    },
  ])("$reason", ({ live, intent, merged }) => {
    expect(mergeValues(everyType, live, intent)).toEqual(merged);
  });

  it.each([
    { live: "a=1", intent: "a=2", merged: "a=2" },
    { live: "a=1 b=1", intent: "b=2", merged: "a=1 b=2" },
    { live: "a=1 b=1", intent: "c=2", merged: "a=1 b=1 c=2" },
    { live: "", intent: "a=1 b", merged: "a=1 b" },
    { live: "a=1", intent: "", merged: "a=1" },
    { live: "a=1", intent: "a", merged: "a=1" },
    { live: "a=1 b=1", intent: "b a", merged: "b=1 a=1" },
    { live: "a b c d", intent: "d a", merged: "b c d a" },
    { live: "a b c", intent: "c x a", merged: "b c x a" },
    { live: "a b c", intent: "x b y", merged: "a x b c y" },
    { live: "a b", intent: "x a y b z", merged: "x a y b z" },
    { live: "a x b", intent: "a y b", merged: "a x y b" },
    { live: "a b c d e", intent: "e c a", merged: "b d e c a" },
  ])("merges the items $live with $intent", ({ live, intent, merged }) => {
    expect(mergeValues(everyType, { items: items(live) }, { items: items(intent) })).toEqual({ items: items(merged) });
  });

  it("drops the fields of an item that is there twice, and keeps it once where the intent names it", () => {
    const live = { items: [...items("a=1 b=1"), { name: "a", w: "2" }] };
    expect(mergeValues(everyType, live, { items: [{ name: "a", v: "3" }] })).toEqual({
      items: items("a=3 b=1"),
    });
    expect(mergeValues(everyType, live, { items: items("c") })).toEqual({
      items: [...items("a=1 b=1"), { name: "a", w: "2" }, { name: "c" }],
    });
  });

  it("has no value where neither side has one", () => {
    expect(mergeValues(everyType, undefined, undefined)).toBeUndefined();
    expect(mergeValues(everyType, undefined, {})).toEqual({});
    expect(mergeValues(everyType, {}, undefined)).toEqual({});
    expect(mergeValues(mergeTypeOf({}), { a: 1 }, undefined)).toEqual({ a: 1 });
    expect(mergeValues(mergeTypeOf({ type: "string" }), "a", undefined)).toBe("a");
  });

  it("does not read keys that every object inherits", () => {
    const merged = mergeValues(everyType, { map: { a: "1" } }, { map: { constructor: "2" } });
    expect(merged).toEqual({ map: { a: "1", constructor: "2" } });
  });
});
