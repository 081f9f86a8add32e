import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { applyObject, recordUpdate } from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import type { ApplyContext } from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import { managedFieldsOf } from "../../../../src/embedded-hub/apply/object-metadata.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";

const schema = schemaOf("", "v1", "ConfigMap") ?? {};
const context: ApplyContext = {
  apiVersion: "v1",
  kind: "ConfigMap",
  schema,
  emptyObject: { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
  time: "2026-01-02T03:04:05Z",
};

function map(metadata: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data: { a: "1" } };
}

function ownersOf(object: JsonObject): (string | undefined)[] {
  return (managedFieldsOf(object) ?? []).map(({ manager }) => manager);
}

describe("items that are there twice", () => {
  const twice = map({ finalizers: ["a.io/x", "a.io/x"] });

  it("are refused in an intent", () => {
    expect(applyObject(context, { live: undefined, intent: twice, manager: "anna", isForced: false })).toEqual({
      kind: "mismatch",
      message:
        'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [="a.io/x"]',
    });
  });

  it("do not keep a stored object from being tracked", () => {
    expect(ownersOf(recordUpdate(context, { before: undefined, after: twice, manager: "anna" }))).toEqual(["anna"]);
  });
});

describe("who wrote another version", () => {
  const other = {
    ...{ manager: "other", operation: "Apply", apiVersion: "v0", fieldsType: "FieldsV1" },
    fieldsV1: { "f:data": { "f:b": {} } },
  };
  const live = { ...map({ managedFields: [other] }), data: { a: "1", b: "1" } };
  const applied = (schemaOfVersion?: ApplyContext["schemaOfVersion"]) => {
    const versions = schemaOfVersion === undefined ? context : { ...context, schemaOfVersion };
    const result = applyObject(versions, { live, intent: map({}), manager: "anna", isForced: false });
    return result.kind === "applied" ? ownersOf(result.object) : result.kind;
  };

  it("is kept while that version is served, and forgotten after", () => {
    expect(applied((version) => (version === "v0" ? schema : undefined))).toEqual(["anna", "other"]);
    expect(applied(() => undefined)).toEqual(["anna"]);
    expect(applied()).toEqual(["anna"]);
  });
});
