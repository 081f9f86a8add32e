import { describe, expect, it } from "vitest";
import { reconcileFieldSet } from "../../../../src/embedded-hub/apply/reconcile-field-set.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { everyType, setOf, textsOf } from "./apply-builders.ts";

function reconciled(...paths: string[]): string[] {
  return textsOf(reconcileFieldSet(everyType, setOf(...paths)));
}

describe("reconcileFieldSet", () => {
  it.each([
    { owned: [".whole.a"], expected: [".whole"] },
    { owned: [".whole.a", ".whole.b", ".text"], expected: [".text", ".whole"] },
    { owned: [".whole"], expected: [".whole"] },
    { owned: [".whole", ".whole.a"], expected: [".whole"] },
    { owned: [".list[=a]"], expected: [".list"] },
    { owned: [".list"], expected: [".list"] },
    { owned: [".map.a", ".fields.a"], expected: [".fields.a", ".map.a"] },
    { owned: [".items[a].v", ".set[=a]"], expected: [".items[a].v", ".set[=a]"] },
    { owned: [".fields"], expected: [".fields"] },
    { owned: [".any.a.b"], expected: [".any.a.b"] },
    { owned: [".unknown.a"], expected: [".unknown.a"] },
  ])("of $owned is $expected", ({ owned, expected }) => {
    expect(reconciled(...owned)).toEqual(expected);
  });

  it("gives the whole of what became atomic inside items and values", () => {
    const whole: Schema = {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      properties: { x: { type: "string" } },
    };
    const item: Schema = { type: "object", properties: { name: { type: "string" }, whole } };
    const schema: Schema = {
      type: "object",
      properties: {
        items: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: item },
        map: { type: "object", additionalProperties: whole },
      },
    };
    const set = setOf(".items[a].whole.x", ".items[a].name", ".map.k.x");
    expect(textsOf(reconcileFieldSet({ schema, isPreserving: false }, set)).sort()).toEqual([
      ".items[a].name",
      ".items[a].whole",
      ".map.k",
    ]);
  });

  it("keeps what is owned inside an atomic map of which no field is declared, as kube-apiserver does", () => {
    const schema: Schema = {
      type: "object",
      properties: { map: { type: "object", "x-kubernetes-map-type": "atomic" } },
    };
    expect(textsOf(reconcileFieldSet({ schema, isPreserving: false }, setOf(".map.a")))).toEqual([".map.a"]);
  });

  it("is the same set when nothing became atomic", () => {
    const set = setOf(".map.a");
    expect(reconcileFieldSet(everyType, set)).toBe(set);
  });
});
