import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { fieldSetOf, pathsOf } from "../../../../src/embedded-hub/apply/field-set.ts";
import type { FieldSet } from "../../../../src/embedded-hub/apply/field-set.ts";
import { mergeTypeOf } from "../../../../src/embedded-hub/apply/merge-type.ts";
import type { MergeType } from "../../../../src/embedded-hub/apply/merge-type.ts";
import {
  describePath,
  fieldElement,
  keysElement,
  valueElement,
} from "../../../../src/embedded-hub/apply/path-element.ts";
import type { Path, PathElement } from "../../../../src/embedded-hub/apply/path-element.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

const text: Schema = { type: "string" };
const item: Schema = { type: "object", properties: { name: text, v: text, w: text } };

/** One field for each way of merging. */
export const everyShape: Schema = {
  type: "object",
  properties: {
    text,
    number: { type: "integer" },
    map: { type: "object", additionalProperties: text },
    whole: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text, b: text } },
    fields: { type: "object", properties: { a: text, b: text, deep: { type: "object", properties: { c: text } } } },
    items: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: item },
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    list: { type: "array", items: text },
    any: {},
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

export const everyType: MergeType = mergeTypeOf(everyShape);

/** Items `a=1 b` of a list map: name and value `v`. */
export function items(list: string): JsonObject[] {
  return list
    .split(" ")
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", v] = one.split("=");
      return v === undefined ? { name } : { name, v };
    });
}

/** The path of a text like `.items[a].v` (item by name) or `.set[=x]` (item by value). */
export function pathOf(described: string): Path {
  return [...described.matchAll(/\.([^.[]+)|\[=([^\]]+)\]|\[([^\]]+)\]/gu)].map(
    ([, field, value, name]): PathElement => {
      if (field !== undefined) return fieldElement(field);
      if (value !== undefined) return valueElement(value);
      return keysElement([{ name: "name", value: name as Json }]);
    },
  );
}

export function setOf(...described: string[]): FieldSet {
  return fieldSetOf(...described.map(pathOf));
}

/** The paths of a set in the form that {@link pathOf} reads. */
export function textsOf(set: FieldSet): string[] {
  return pathsOf(set).map((path) =>
    describePath(path)
      .replaceAll(/\[name="([^"]*)"\]/gu, "[$1]")
      .replaceAll('"', ""),
  );
}
