import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { toFieldsV1 } from "../../../../src/embedded-hub/apply/field-set.ts";
import { ownedByLastApplied } from "../../../../src/embedded-hub/apply/last-applied.ts";
import { mergeTypeOf } from "../../../../src/embedded-hub/apply/merge-type.ts";
import type { ApplyContext } from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import { applyObject } from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

const id: Schema = { type: "integer", format: "int64" };
const schema: Schema = {
  type: "object",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    ids: { type: "array", "x-kubernetes-list-type": "set", items: id },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
      items: { type: "object", properties: { id, note: { type: "string" } } },
    },
  },
};
const context: ApplyContext = {
  apiVersion: "example.com/v1",
  kind: "Numbers",
  schema,
  emptyObject: { apiVersion: "example.com/v1", kind: "Numbers", metadata: {} },
  time: "2026-01-01T00:00:00Z",
};
/** No float holds it. */
const long = 9_007_199_254_740_993n;

function applied(live: JsonObject | undefined, fields: JsonObject): JsonObject {
  const intent = { apiVersion: "example.com/v1", kind: "Numbers", metadata: { name: "a" }, ...fields };
  const result = applyObject(context, { live, intent, manager: "anna", isForced: false });
  if (result.kind !== "applied") throw new Error(result.kind);
  return result.object;
}

describe("an item that is named by a whole number beyond 2^53", () => {
  it.each<{ field: string; before: Json; after: Json }>([
    { field: "ids", before: [long, 1], after: [1] },
    { field: "items", before: [{ id: long, note: "x" }, { id: 1 }], after: [{ id: 1 }] },
    { field: "items", before: [{ id: long, note: "x" }], after: [{ id: long }] },
  ])("is removed when its manager no longer applies it: $field", ({ field, before, after }) => {
    expect(applied(applied(undefined, { [field]: before }), { [field]: after })[field]).toEqual(after);
  });

  it("is owned by client-side apply when its annotation has it", () => {
    const annotation = `{"apiVersion":"example.com/v1","ids":[${long}]}`;
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": annotation };
    const live = { apiVersion: "example.com/v1", metadata: { annotations }, ids: [long] };
    const owned = ownedByLastApplied(mergeTypeOf(schema), live, "example.com/v1");
    expect(owned && toFieldsV1(owned)).toEqual({ "f:apiVersion": {}, "f:ids": { [`v:${long}`]: {} } });
  });
});
