import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  annotationsOf,
  managedFieldsOf,
  metadataOf,
  withManagedFields,
} from "../../../../src/embedded-hub/apply/object-metadata.ts";
import type { ManagedFieldsEntry } from "../../../../src/model/kubernetes.ts";

const entry: ManagedFieldsEntry = {
  ...{ manager: "a", operation: "Apply", apiVersion: "v1", time: "2026-01-02T03:04:05Z" },
  ...{ fieldsType: "FieldsV1", fieldsV1: { "f:a": {} }, subresource: "status" },
};
const stored = entry as unknown as JsonObject;

describe("metadataOf and annotationsOf", () => {
  it("are empty where there is no object", () => {
    expect([metadataOf({}), metadataOf({ metadata: "x" }), metadataOf({ metadata: { name: "a" } })]).toEqual([
      {},
      {},
      { name: "a" },
    ]);
    expect([annotationsOf({ metadata: { annotations: [] } }), annotationsOf({})]).toEqual([{}, {}]);
    expect(annotationsOf({ metadata: { annotations: { a: "b" } } })).toEqual({ a: "b" });
  });
});

describe("managedFieldsOf", () => {
  it("reads every part of an entry", () => {
    expect(managedFieldsOf({ metadata: { managedFields: [stored] } })).toEqual([entry]);
  });

  it("reads the parts that have the right type, and skips what is no object", () => {
    const odd = { manager: 1, operation: "Delete", apiVersion: null, time: 1, fieldsType: {}, fieldsV1: "x" };
    expect(managedFieldsOf({ metadata: { managedFields: [odd, "x", null] } })).toEqual([{}]);
    const update = { operation: "Update" };
    expect(managedFieldsOf({ metadata: { managedFields: [update] } })).toEqual([update]);
  });

  it("are none where there is no list", () => {
    expect(managedFieldsOf({})).toBeUndefined();
    expect(managedFieldsOf({ metadata: { managedFields: {} } })).toBeUndefined();
    expect(managedFieldsOf({ metadata: { managedFields: [] } })).toEqual([]);
  });
});

describe("withManagedFields", () => {
  it("writes them, or takes them away, and leaves the rest", () => {
    const object = { kind: "A", metadata: { name: "a", managedFields: [stored] } };
    expect(withManagedFields(object, undefined)).toEqual({ kind: "A", metadata: { name: "a" } });
    expect(withManagedFields({ kind: "A", metadata: { name: "a" } }, [entry])).toEqual(object);
    expect(withManagedFields({ kind: "A" }, [entry])).toEqual({ kind: "A", metadata: { managedFields: [stored] } });
  });

  it("gives no metadata to an object that has none", () => {
    const object = { kind: "A" };
    expect(withManagedFields(object, undefined)).toBe(object);
    expect(withManagedFields({ kind: "A", metadata: { name: "a" } }, undefined)).toEqual({
      kind: "A",
      metadata: { name: "a" },
    });
  });
});
