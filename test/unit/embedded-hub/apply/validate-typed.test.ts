import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { mergeTypeOf } from "../../../../src/embedded-hub/apply/merge-type.ts";
import { typingError } from "../../../../src/embedded-hub/apply/validate-typed.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { everyShape, everyType } from "./apply-builders.ts";

const schema: Schema = {
  type: "object",
  properties: {
    ...everyShape.properties,
    flag: { type: "boolean" },
    amount: { type: "number" },
    data: { type: "string", format: "byte" },
    plain: { type: "string", format: "" },
    date: { type: "string", format: "date-time" },
    open: { type: "object", properties: { a: { type: "string" } }, additionalProperties: true },
    closed: { type: "object", additionalProperties: false },
    merged: {
      type: "array",
      "x-kubernetes-patch-strategy": "retainKeys,merge",
      "x-kubernetes-patch-merge-key": "name",
      items: { type: "object", properties: { name: { type: "string" } } },
    },
    mergedValues: { type: "array", "x-kubernetes-patch-strategy": "merge", items: { type: "string" } },
    replaced: {
      type: "array",
      "x-kubernetes-patch-merge-key": "name",
      items: { type: "object", properties: { name: { type: "string" } } },
    },
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: { type: "object", properties: { port: {}, protocol: { type: "string", default: "TCP" } } },
    },
  },
};

function errorOf(value: Json, allowsDuplicates = false): string | undefined {
  return typingError(mergeTypeOf(schema), value, { allowsDuplicates });
}

describe("a value that fits its type", () => {
  it.each<{ value: Json }>([
    { value: null },
    { value: { text: "a", number: 1, flag: false, amount: 9_007_199_254_740_993n, data: "YQ==", plain: "a" } },
    { value: { text: null, number: null, flag: null, date: null, map: null, list: null, items: null, whole: null } },
    { value: { date: "2026-01-01T00:00:00Z" } },
    { value: { date: 5 } },
    { value: { map: { anything: "x" }, free: { a: { b: [1] } }, any: [{ a: 1 }] } },
    { value: { items: [{ name: "a" }, { name: "b" }], set: ["a", "b"], list: ["a", "a"] } },
    { value: { ports: [{ port: 1 }, { port: 1, protocol: "UDP" }, { port: 2 }] } },
    { value: { ports: [{ port: 1 }, { port: 1, protocol: null }] } },
    { value: { open: { a: "x", b: { c: [1] } }, closed: {} } },
    { value: { merged: [{ name: "a" }], mergedValues: ["a"], replaced: [{ name: "a" }, { name: "a" }, {}] } },
    { value: { undeclared: undefined as unknown as Json } },
  ])("has no error: $value", ({ value }) => {
    expect(errorOf(value)).toBeUndefined();
  });
});

describe("a value that does not fit its type", () => {
  it.each<{ value: Json; error: string }>([
    { value: "x", error: "expected map, got &{x}" },
    { value: { map: ["x"] }, error: ".map: expected map, got &{[x]}" },
    { value: { map: { a: 1 } }, error: ".map.a: expected string, got &value.valueUnstructured{Value:1}" },
    { value: { text: true }, error: ".text: expected string, got &value.valueUnstructured{Value:true}" },
    { value: { data: 1 }, error: ".data: expected string, got &value.valueUnstructured{Value:1}" },
    { value: { plain: 1 }, error: ".plain: expected string, got &value.valueUnstructured{Value:1}" },
    { value: { number: "x" }, error: ".number: expected numeric (int or float), got string" },
    { value: { amount: true }, error: ".amount: expected numeric (int or float), got bool" },
    { value: { flag: "x" }, error: ".flag: expected boolean, got &{x}" },
    { value: { date: {} }, error: ".date: expected any scalar, got &{map[]}" },
    { value: { undeclared: 1 }, error: ".undeclared: field not declared in schema" },
    { value: { whole: { c: "x" } }, error: ".whole.c: field not declared in schema" },
    { value: { open: { a: 1 } }, error: ".open.a: expected string, got &value.valueUnstructured{Value:1}" },
    { value: { closed: { a: 1 } }, error: ".closed.a: field not declared in schema" },
    { value: { merged: [{ name: "a" }, { name: "a" }] }, error: '.merged: duplicate entries for key [name="a"]' },
    { value: { mergedValues: ["a", "a"] }, error: '.mergedValues: duplicate entries for key [="a"]' },
    { value: { list: "x" }, error: ".list: expected list, got &{x}" },
    { value: { list: ["a", 1] }, error: ".list[1]: expected string, got &value.valueUnstructured{Value:1}" },
    { value: { set: ["a", "b", "a"] }, error: '.set: duplicate entries for key [="a"]' },
    {
      value: { set: [null] },
      error: ".set: element 0: associative list without keys has an element that's an explicit null",
    },
    { value: { set: ["a", []] }, error: ".set: element 1: not supported: associative list with lists as elements" },
    { value: { set: [{}] }, error: ".set: element 0: associative list without keys has an element that's a map type" },
    { value: { items: [null] }, error: ".items: element 0: associative list with keys may not have a null element" },
    { value: { items: ["a"] }, error: ".items: element 0: associative list with keys may not have non-map elements" },
    {
      value: { items: [{ v: "1" }] },
      error:
        '.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    },
    {
      value: { items: [{ name: "a", x: 1 }] },
      error: '.items[name="a"].x: field not declared in schema',
    },
    {
      value: { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
      error: '.ports: duplicate entries for key [port=1,protocol="TCP"]',
    },
  ])("has the error $error", ({ value, error }) => {
    expect(errorOf(value)).toBe(error);
  });

  it("has each of its errors in a line", () => {
    expect(errorOf({ number: "x", text: 1 })).toBe(
      [
        "errors:",
        "  .number: expected numeric (int or float), got string",
        "  .text: expected string, got &value.valueUnstructured{Value:1}",
      ].join("\n"),
    );
  });
});

describe("a stored value", () => {
  it("may have items twice", () => {
    expect(errorOf({ set: ["a", "a"], items: [{ name: "a" }, { name: "a" }] }, true)).toBeUndefined();
  });
});

describe("a list whose items have neither a key nor a default of it", () => {
  it("names all its keys", () => {
    const ports = everyType.schema.properties?.["items"];
    const list: Schema = { ...ports, type: "array", "x-kubernetes-list-map-keys": ["name", "v"] };
    expect(typingError(mergeTypeOf(list), [{ w: "1" }], { allowsDuplicates: false })).toBe(
      'element 0: associative list with keys has an element that omits all key fields ["name" "v"] (and doesn\'t have default values for any key fields)',
    );
  });
});
