import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { applyDefaults, withoutForbiddenNulls } from "../../../../src/embedded-hub/schema/apply-defaults.ts";
import { pruneUnknown } from "../../../../src/embedded-hub/schema/prune-unknown.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { decodeCustom } from "../../../../src/embedded-hub/types/decode-custom.ts";

const text: Schema = { type: "string" };

/** What kube-apiserver 1.34.4 stored of custom objects with such a `spec`, and which fields it did not know. */
interface Recorded {
  readonly schema: Schema;
  readonly answers: readonly (readonly [spec: JsonObject, stored: JsonObject, unknownFields: readonly string[]])[];
}

const file = new URL("golden/defaults.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded;

it.each(recorded.answers.map(([spec, stored, unknown]) => [JSON.stringify(spec), spec, stored, unknown] as const))(
  "a custom object that was recorded is pruned and gets defaults: %s",
  (_text, spec, stored, unknown) => {
    const { object, unknownFields } = decodeCustom({ apiVersion: "a/v1", kind: "A", spec }, recorded.schema);
    expect(applyDefaults(object, recorded.schema)["spec"]).toEqual(stored);
    expect(unknownFields.map((field) => /"(?<name>.*)"/u.exec(field)?.groups?.["name"] ?? field)).toEqual(unknown);
  },
);

describe("applyDefaults", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      a: { type: "string", default: "d" },
      inner: { type: "object", default: {}, properties: { b: { type: "integer", default: 7 } } },
      items: { type: "array", items: { type: "object", properties: { c: { type: "string", default: "x" } } } },
      map: {
        type: "object",
        additionalProperties: { type: "object", properties: { e: { type: "boolean", default: true } } },
      },
      bare: { type: "object", properties: { never: { type: "string", default: "n" } } },
    },
  };

  it("fills in what is missing, also in defaults, items and values of maps", () => {
    expect(applyDefaults({ items: [{}, { c: "y" }], map: { k: {} } }, schema)).toEqual({
      a: "d",
      inner: { b: 7 },
      items: [{ c: "x" }, { c: "y" }],
      map: { k: { e: true } },
    });
  });

  it("takes nulls for nothing where null is not allowed", () => {
    const nullable: Schema = {
      type: "object",
      properties: { a: { ...text, default: "d" }, b: { ...text, default: "d", nullable: true }, c: text },
    };
    const given = { a: null, b: null, c: null };
    const cleaned = withoutForbiddenNulls(given, nullable);
    expect(applyDefaults(cleaned, nullable)).toEqual({ a: "d", b: null });
  });

  it("does nothing the second time, and does not touch its argument", () => {
    const part = fc.record(
      { a: fc.constant("z"), inner: fc.constant({}), items: fc.array(fc.constant({})) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(part, (object) => {
        const before = JSON.stringify(object);
        const once = applyDefaults(object, schema);
        expect(applyDefaults(once, schema)).toEqual(once);
        expect(JSON.stringify(object)).toBe(before);
      }),
    );
  });
});

describe("pruneUnknown", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          known: text,
          list: { type: "array", items: { type: "object", properties: { a: text } } },
          map: { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
          open: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            properties: { o: { type: "object", properties: { p: text } } },
          },
        },
      },
    },
  };

  it("drops what the schema does not know, and names it with its path", () => {
    const object = {
      apiVersion: "a/v1",
      kind: "A",
      metadata: { name: "x", anything: 1 },
      z: 1,
      spec: { known: "k", no: 1, list: [{ a: "1", b: 2 }], map: { k: { a: "1", c: 3 } } },
    };
    const { object: pruned, unknownFields } = pruneUnknown(object, schema);
    expect(pruned).toEqual({
      apiVersion: "a/v1",
      kind: "A",
      metadata: { name: "x", anything: 1 },
      spec: { known: "k", list: [{ a: "1" }], map: { k: { a: "1" } } },
    });
    expect(unknownFields).toEqual(["spec.list[0].b", "spec.map.k.c", "spec.no", "z"]);
  });

  it("keeps everything below an open object but not in parts it describes", () => {
    const spec = { open: { any: { thing: [1] }, o: { p: "1", q: 2 } } };
    const { object, unknownFields } = pruneUnknown({ spec }, schema);
    expect(object).toEqual({ spec: { open: { any: { thing: [1] }, o: { p: "1" } } } });
    expect(unknownFields).toEqual(["spec.open.o.q"]);
  });

  it("does not take properties of every object for known ones", () => {
    const { object } = pruneUnknown(
      JSON.parse('{"spec":{"__proto__":{"x":1},"constructor":1,"toString":2}}') as JsonObject,
      schema,
    );
    expect(Object.keys(object["spec"] as JsonObject)).toEqual([]);
  });
});
