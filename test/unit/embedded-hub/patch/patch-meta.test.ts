import { describe, expect, it } from "vitest";
import { metaOfKey } from "../../../../src/embedded-hub/patch/patch-meta.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

const text: Schema = { type: "string" };
const item: Schema = { type: "object", properties: { name: text } };
const listOf = (strategy?: string): Schema => ({
  type: "array",
  items: item,
  "x-kubernetes-patch-merge-key": "name",
  ...(strategy === undefined ? {} : { "x-kubernetes-patch-strategy": strategy }),
});
const none = { schema: undefined, strategy: "", mergeKey: "" };

const rows: readonly (readonly [reason: string, schema: Schema | undefined, meta: object | string])[] = [
  ["a value without a schema", undefined, none],
  ["a declared text", { type: "object", properties: { a: text } }, { schema: text, strategy: "", mergeKey: "" }],
  [
    "a list, by its items",
    { type: "object", properties: { a: listOf() } },
    { schema: item, strategy: "", mergeKey: "name" },
  ],
  [
    "a list that is merged",
    { type: "object", properties: { a: listOf("merge") } },
    { schema: item, strategy: "merge", mergeKey: "name" },
  ],
  [
    "a list that is merged and keeps no other keys",
    { type: "object", properties: { a: listOf("retainKeys,merge") } },
    { schema: item, strategy: "merge", mergeKey: "name" },
  ],
  [
    "a map that keeps no other keys",
    { type: "object", properties: { a: { ...text, "x-kubernetes-patch-strategy": "retainKeys" } } },
    { schema: { ...text, "x-kubernetes-patch-strategy": "retainKeys" }, strategy: "", mergeKey: "" },
  ],
  ["a key of a map", { type: "object", additionalProperties: text }, { schema: text, strategy: "", mergeKey: "" }],
  ["a key of a map of anything", { type: "object", additionalProperties: true }, none],
  [
    "a declared key beside others",
    { type: "object", properties: { a: item }, additionalProperties: text },
    { schema: item, strategy: "", mergeKey: "" },
  ],
  ["a key of an object that declares nothing", { type: "object" }, none],
  [
    "a key that is not declared",
    { type: "object", properties: { b: text } },
    'unable to find api field in struct object for the json field "a"',
  ],
  ["a key of something of no type", { properties: { b: text } }, none],
];

describe("how a strategic patch changes", () => {
  it.each(rows)("%s", (_reason, schema, meta) => {
    if (typeof meta === "string") expect(() => metaOfKey(schema, "a")).toThrow(meta);
    else expect(metaOfKey(schema, "a")).toEqual(meta);
  });

  it("a field with the name of a method of all objects", () => {
    const schema: Schema = { type: "object", properties: {}, additionalProperties: text };
    expect(metaOfKey(schema, "constructor")).toEqual({ schema: text, strategy: "", mergeKey: "" });
  });
});
