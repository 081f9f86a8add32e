import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { fieldSetOfValue, withNamedFields, withoutItems } from "../../../../src/embedded-hub/apply/value-field-set.ts";
import { everyType, items, setOf, textsOf } from "./apply-builders.ts";

describe("fieldSetOfValue", () => {
  it.each<{ value: Json; fields: readonly string[] }>([
    { value: {}, fields: [] },
    { value: { text: "a", number: 1 }, fields: [".number", ".text"] },
    { value: { text: null }, fields: [".text"] },
    { value: { map: { a: "1" } }, fields: [".map.a"] },
    { value: { map: {} }, fields: [".map"] },
    { value: { map: null }, fields: [".map"] },
    { value: { fields: { a: "1", deep: {} } }, fields: [".fields.a", ".fields.deep"] },
    { value: { whole: { a: "1", b: "1" } }, fields: [".whole"] },
    { value: { list: ["a", "b"] }, fields: [".list"] },
    { value: { list: [] }, fields: [".list"] },
    { value: { set: ["b", "a"] }, fields: [".set[=a]", ".set[=b]"] },
    { value: { set: [] }, fields: [] },
    {
      value: { items: items("a=1 b") },
      fields: [".items[a]", ".items[b]", ".items[a].name", ".items[a].v", ".items[b].name"],
    },
    { value: { items: [...items("a=1"), ...items("a=2 b")] }, fields: [".items[a]", ".items[b]", ".items[b].name"] },
    { value: { any: { a: { b: 1 } } }, fields: [".any.a", ".any.a.b"] },
    { value: { any: "x" }, fields: [".any"] },
    { value: { free: { x: [1, 2] } }, fields: [".free.x"] },
  ])("of $value are $fields", ({ value, fields }) => {
    expect(textsOf(fieldSetOfValue(everyType, value))).toEqual(fields);
  });
});

describe("withoutItems", () => {
  it.each<{ value: Json; set: readonly string[]; rest: Json | undefined }>([
    { value: { text: "a", number: 1 }, set: [".text"], rest: { number: 1 } },
    { value: { text: "a" }, set: [".text"], rest: undefined },
    { value: { text: "a" }, set: [".number"], rest: { text: "a" } },
    { value: { map: { a: "1", b: "1" } }, set: [".map.a"], rest: { map: { b: "1" } } },
    { value: { map: { a: "1" } }, set: [".map.a"], rest: { map: null } },
    { value: { map: { a: "1" } }, set: [".map"], rest: undefined },
    { value: { map: { a: "1" }, text: "a" }, set: [".text.x"], rest: { map: { a: "1" }, text: "a" } },
    {
      value: { fields: { a: "1", deep: { c: "1" } } },
      set: [".fields.deep.c"],
      rest: { fields: { a: "1", deep: null } },
    },
    { value: { whole: { a: "1" }, text: "a" }, set: [".whole.a"], rest: { whole: null, text: "a" } },
    { value: { whole: { a: "1", b: "2" }, text: "a" }, set: [".whole.a"], rest: { whole: null, text: "a" } },
    { value: { list: ["a"], text: "a" }, set: [".list.x"], rest: { list: null, text: "a" } },
    { value: { set: ["a", "b"] }, set: [".set[=a]"], rest: { set: ["b"] } },
    { value: { set: ["a"] }, set: [".set[=a]"], rest: { set: null } },
    { value: { items: items("a=1 b=1") }, set: [".items[a]"], rest: { items: items("b=1") } },
    { value: { items: items("a=1 b=1") }, set: [".items[a].v"], rest: { items: items("a b=1") } },
    { value: { items: items("a=1") }, set: [".items[a].v", ".items[a].name"], rest: { items: [null] } },
    { value: { items: [{ v: "1" }, ...items("a=1")] }, set: [".items[a]"], rest: { items: [{ v: "1" }] } },
    { value: { any: { a: 1, b: 2 } }, set: [".any.a"], rest: { any: { b: 2 } } },
  ])("leaves $rest of $value without $set", ({ value, set, rest }) => {
    expect(withoutItems(everyType, value, setOf(...set))).toEqual(rest);
  });

  it("leaves nothing of a value that has no items", () => {
    expect(withoutItems(everyType, null, setOf(".text"))).toBeUndefined();
    expect(withoutItems({ schema: { type: "array", items: {} }, isPreserving: false }, null, setOf())).toBeUndefined();
  });
});

describe("withNamedFields", () => {
  it.each([
    { set: [".fields.deep.c"], named: [".fields", ".fields.deep", ".fields.deep.c"] },
    { set: [".text"], named: [".text"] },
    { set: [".map.a"], named: [".map", ".map.a"] },
    { set: [".items[a].v"], named: [".items", ".items[a].v"] },
    { set: [".any.a.b"], named: [".any", ".any.a.b"] },
    { set: [".unknown.a.b"], named: [".unknown.a.b"] },
  ])("makes of $set $named", ({ set, named }) => {
    expect(textsOf(withNamedFields(everyType, setOf(...set))).sort()).toEqual([...named].sort());
  });

  it("knows the fields of the items of a list", () => {
    const item = {
      type: "object",
      properties: { name: { type: "string" }, deep: { type: "object", properties: { c: {} } } },
    } as const;
    const list = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: item,
    } as const;
    const type = { schema: { type: "object", properties: { list } }, isPreserving: false } as const;
    expect(textsOf(withNamedFields(type, setOf(".list[a].deep.c")))).toEqual([
      ".list",
      ".list[a].deep",
      ".list[a].deep.c",
    ]);
    expect(textsOf(withNamedFields(undefined, setOf(".list[a].deep.c")))).toEqual([".list[a].deep.c"]);
  });
});
