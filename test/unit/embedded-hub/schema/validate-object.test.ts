import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { validateLists } from "../../../../src/embedded-hub/schema/validate-lists.ts";
import { validateBySchema } from "../../../../src/embedded-hub/schema/validate-object.ts";

function texts(value: Json, schema: Schema, old?: Json): string[] {
  return validateBySchema(value, schema, old === undefined ? {} : { old }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

function spec(properties: Record<string, Schema>, more: Partial<Schema> = {}): Schema {
  return { type: "object", properties: { spec: { type: "object", properties, ...more } } };
}

describe("validateBySchema", () => {
  it("names field, value and expectation", () => {
    const schema = spec({ replicas: { type: "integer", minimum: 1 }, mode: { type: "string", enum: ["a", "b"] } });
    expect(texts({ spec: { replicas: "x", mode: "c" } }, schema)).toEqual([
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      'spec.mode: Unsupported value: "c": supported values: "a", "b"',
    ]);
    expect(texts({ spec: { replicas: 0 } }, schema)).toEqual([
      "spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1",
    ]);
  });

  it("asks for what is required", () => {
    expect(texts({ spec: {} }, spec({ a: { type: "string" } }, { required: ["a"] }))).toEqual([
      "spec.a: Required value",
    ]);
  });

  it("counts characters, not bytes", () => {
    const schema = spec({ s: { type: "string", maxLength: 2, minLength: 2 } });
    expect(texts({ spec: { s: "€😀" } }, schema)).toEqual([]);
    expect(texts({ spec: { s: "abc" } }, schema)).toEqual(["spec.s: Too long: may not be more than 2 bytes"]);
    expect(texts({ spec: { s: "a" } }, schema)).toEqual([
      'spec.s: Invalid value: "a": spec.s in body should be at least 2 chars long',
    ]);
  });

  it.each<[Schema, Json, number]>([
    [{ type: "string", minLength: 2 }, "ab", 0],
    [{ type: "string", minLength: 2 }, "a", 1],
    [{ type: "string", maxLength: 2 }, "abc", 1],
    [{ type: "integer", maximum: 5 }, 2n ** 60n, 1],
    [{ type: "integer" }, 2n ** 60n, 0],
    [{ type: "number", enum: [1] }, 1.5, 0],
    [{ type: "number", enum: [2.5] }, 2, 1],
    [{ "x-kubernetes-int-or-string": true, enum: ["a"] }, 97, 0],
    [{ "x-kubernetes-int-or-string": true, enum: ["ab"] }, 97, 1],
    [{ "x-kubernetes-int-or-string": true, enum: ["a"] }, 98, 1],
    [{ type: "array", uniqueItems: true }, [1, 2], 0],
    [{ type: "array", uniqueItems: true }, [1, 1], 1],
    [{ type: "object", additionalProperties: false }, { a: 1 }, 1],
  ])("holds a value to one rule: %o", (schema, value, problems) => {
    expect(validateBySchema({ v: value }, { type: "object", properties: { v: schema } })).toHaveLength(problems);
  });

  it("comes to an end with a pattern that costs a backtracking engine 2^5000 steps", () => {
    const schema = spec({ s: { type: "string", pattern: "^(a+)+$" } });
    expect(texts({ spec: { s: `${"a".repeat(5_000)}!` } }, schema)).toHaveLength(1);
  });

  it("takes numbers or texts where both are allowed", () => {
    const schema = spec({ port: { "x-kubernetes-int-or-string": true } });
    expect(texts({ spec: { port: 1 } }, schema)).toEqual([]);
    expect(texts({ spec: { port: "1" } }, schema)).toEqual([]);
    expect(texts({ spec: { port: true } }, schema)).toEqual([
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ]);
  });

  it("takes null only where it may be", () => {
    expect(texts({ spec: { a: null } }, spec({ a: { type: "string", nullable: true } }))).toEqual([]);
    expect(texts({ spec: { a: null } }, spec({ a: { type: "string" } }))).toEqual([
      'spec.a: Invalid value: "null": spec.a in body must be of type string: "null"',
    ]);
  });

  it("lets what was wrong before pass while it stays as it is", () => {
    const schema = spec({ a: { type: "string", maxLength: 1 }, b: { type: "string" } });
    expect(texts({ spec: { a: "long", b: "2" } }, schema, { spec: { a: "long", b: "1" } })).toEqual([]);
    expect(texts({ spec: { a: "longer" } }, schema, { spec: { a: "long" } })).toHaveLength(1);
  });

  it("finds again the items of list maps when they moved", () => {
    const item: Schema = { type: "object", properties: { k: { type: "string" }, v: { type: "string", maxLength: 1 } } };
    const schema = spec({
      l: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
    });
    const old = {
      spec: {
        l: [
          { k: "a", v: "long" },
          { k: "b", v: "x" },
        ],
      },
    };
    expect(
      texts(
        {
          spec: {
            l: [
              { k: "b", v: "y" },
              { k: "a", v: "long" },
            ],
          },
        },
        schema,
        old,
      ),
    ).toEqual([]);
    expect(texts({ spec: { l: [{ k: "a", v: "other" }] } }, schema, old)).toHaveLength(1);
  });

  const item: Schema = { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } };
  const items: Schema = {
    type: "array",
    items: item,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
  };
  const a = { k: "a", v: 1 };
  const b = { k: "b", v: 2 };
  it.each<[Json, Json, number]>([
    [[a, b], [b, a], 0],
    [[a, b], [{ ...b, v: 3 }, a], 1],
    [[a, b], [{ k: "c", v: 2 }, a], 1],
    [[a, b], [a, b, { k: "c" }], 1],
    [[a, b], [a, { k: "b" }], 1],
  ])("takes %j to %j for unchanged or not: a list map has no order", (old, value, problems) => {
    const ofList = spec({ l: { ...items, maxItems: 1 } });
    expect(texts({ spec: { l: value } }, ofList, { spec: { l: old } })).toHaveLength(problems);
    const ofObject = spec({ l: items, x: {} }, { maxProperties: 1 });
    expect(texts({ spec: { l: value, x: 1 } }, ofObject, { spec: { l: old, x: 1 } })).toHaveLength(problems);
  });

  it("reports the alternative that came closest", () => {
    const schema = spec(
      { a: { type: "string" }, b: { type: "integer" } },
      { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    );
    expect(texts({ spec: {} }, schema)).toEqual([
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      "spec.a: Required value",
    ]);
  });
});

describe("validateLists", () => {
  const set: Schema = { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" };
  const map: Schema = {
    type: "array",
    items: { type: "object", properties: { a: { type: "string" }, b: { type: "integer" }, c: { type: "string" } } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a", "b"],
  };

  it("names the second of equal items once", () => {
    expect(validateLists({ s: ["x", "y", "x", "x"] }, { type: "object", properties: { s: set } })).toEqual([
      { field: "s[2]", reason: "FieldValueDuplicate", message: 'Duplicate value: "x"' },
    ]);
    const items = [{ a: "1", b: 1, c: "x" }, { a: "1" }, { a: "1", b: 1, c: "y" }];
    expect(validateLists({ m: items }, { type: "object", properties: { m: map } })).toEqual([
      { field: "m[2]", reason: "FieldValueDuplicate", message: 'Duplicate value: {"a":"1","b":1}' },
    ]);
  });
});
