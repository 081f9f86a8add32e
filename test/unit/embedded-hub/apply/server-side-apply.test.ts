import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { ApplyContext, ApplyResult } from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import {
  applyObject,
  recordUpdate,
  withoutTimeOnlyChange,
} from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import { customSchema } from "../../../../src/embedded-hub/types/custom-schema.ts";
import { decodeBuiltIn } from "../../../../src/embedded-hub/types/decode-built-in.ts";
import { messageType } from "../../../../src/embedded-hub/types/type-registry.ts";
import { fieldSetOf } from "../../../../src/embedded-hub/apply/field-set.ts";
import { fieldElement } from "../../../../src/embedded-hub/apply/path-element.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";
import type { ManagedFieldsEntry } from "../../../../src/model/kubernetes.ts";

const context: ApplyContext = {
  apiVersion: "v1",
  kind: "ConfigMap",
  schema: schemaOf("", "v1", "ConfigMap") ?? {},
  emptyObject: { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
  time: "2024-01-01T00:00:00Z",
};

function map(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data };
}

function apply(live: JsonObject | undefined, intent: JsonObject, manager: string, isForced = false): ApplyResult {
  return applyObject(context, { live, intent, manager, isForced, complete });
}

function complete(object: JsonObject): JsonObject {
  return decodeBuiltIn(messageType("core.ConfigMap"), object).object;
}

function applied(result: ApplyResult): JsonObject {
  if (result.kind !== "applied") throw new Error(JSON.stringify(result));
  return result.object;
}

function entriesOf(object: JsonObject): readonly ManagedFieldsEntry[] {
  const { managedFields } = object["metadata"] as { managedFields?: ManagedFieldsEntry[] };
  return managedFields ?? [];
}

function owners(object: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    entriesOf(object).map((entry) => [`${entry.manager} ${entry.operation}`, (entry.fieldsV1 as JsonObject)["f:data"]]),
  );
}

describe("server-side apply", () => {
  it("A51 writes out no managed fields that are too many", () => {
    const live = applied(apply(undefined, map({ a: "1", b: "2" }), "anna"));
    const request = { live, intent: map({ b: "2", c: "3" }), manager: "ben", isForced: false };
    expect(applyObject(context, { ...request, mostOwned: 6 }).kind).toBe("applied");
    expect(applyObject(context, { ...request, mostOwned: 5 })).toEqual({
      kind: "tooLarge",
      message: "Request entity too large: the managedFields have more than 5 values",
    });
  });

  it("creates what is not there, owned by who applied it", () => {
    const object = applied(apply(undefined, map({ a: "1" }), "anna"));
    expect(object["data"]).toEqual({ a: "1" });
    expect(entriesOf(object)).toEqual([
      {
        manager: "anna",
        operation: "Apply",
        apiVersion: "v1",
        time: "2024-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {} } },
      },
    ]);
  });

  it("removes what its manager no longer wants, and leaves what others own", () => {
    const first = applied(apply(undefined, map({ a: "1", b: "2" }), "anna"));
    const second = applied(apply(first, map({ c: "3" }), "bert"));
    const third = applied(apply(second, map({ b: "2" }), "anna"));
    expect(third["data"]).toEqual({ b: "2", c: "3" });
    expect(owners(third)).toEqual({ "anna Apply": { "f:b": {} }, "bert Apply": { "f:c": {} } });
  });

  it("keeps what two managers own until both let go", () => {
    const first = applied(apply(undefined, map({ a: "1" }), "anna"));
    const shared = applied(apply(first, map({ a: "1" }), "bert"));
    const left = applied(apply(shared, map({}), "anna"));
    expect(left["data"]).toEqual({ a: "1" });
    expect(applied(apply(left, map({}), "bert"))["data"]).toBeUndefined();
  });

  it("refuses to change what another owns, and names field and manager", () => {
    const first = applied(apply(undefined, map({ a: "1" }), "anna"));
    expect(apply(first, map({ a: "2" }), "bert")).toEqual({
      kind: "conflict",
      message: 'Apply failed with 1 conflict: conflict with "anna": .data.a',
      causes: [{ reason: "FieldManagerConflict", message: 'conflict with "anna"', field: ".data.a" }],
    });
    const updated = recordUpdate(context, {
      before: undefined,
      after: map({ a: "1", b: "1" }),
      manager: "kubectl-edit",
    });
    expect(apply(updated, map({ a: "2", b: "2" }), "bert")).toMatchObject({
      message: 'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using v1:\n- .data.a\n- .data.b',
    });
  });

  it("takes fields from their owners when it is forced", () => {
    const first = applied(apply(undefined, map({ a: "1", b: "1" }), "anna"));
    const forced = applied(apply(first, map({ a: "2" }), "bert", true));
    expect(forced["data"]).toEqual({ a: "2", b: "1" });
    expect(owners(forced)).toEqual({ "anna Apply": { "f:b": {} }, "bert Apply": { "f:a": {} } });
  });

  it("changes nothing, not even a time stamp, when everything is as wanted", () => {
    const first = applied(apply(undefined, map({ a: "1" }), "anna"));
    const later = { ...context, time: "2024-01-01T00:05:00Z" };
    const again = applied(
      applyObject(later, { live: first, intent: map({ a: "1" }), manager: "anna", isForced: false }),
    );
    expect(withoutTimeOnlyChange(first, again)).toEqual(first);
  });

  it("refuses intents of another kind, with managed fields, or of a wrong type", () => {
    expect(apply(undefined, { ...map({}), kind: "Secret" }, "anna")).toEqual({
      kind: "badRequest",
      message: "invalid object type: /v1, Kind=Secret",
    });
    const owned = map({}, { managedFields: [{ manager: "x" }] });
    expect(apply(undefined, owned, "anna")).toEqual({
      kind: "badRequest",
      message: "metadata.managedFields must be nil",
    });
    expect(apply(undefined, map({ a: 1 }), "anna")).toEqual({
      kind: "mismatch",
      message:
        "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}",
    });
  });

  it("gives an object that no manager owned to before-first-apply", () => {
    const object = applied(apply(map({ a: "1", b: "1" }), map({ a: "1" }), "anna"));
    expect(owners(object)).toEqual({
      "anna Apply": { "f:a": {} },
      "before-first-apply Update": { ".": {}, "f:a": {}, "f:b": {} },
    });
  });

  it("keeps everything it applies by force, whichever manager came before", () => {
    const data = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"));
    const step = fc.record({ manager: fc.constantFrom("anna", "bert", "carl"), data });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        let live: JsonObject | undefined;
        for (const { manager, data: wanted } of steps) {
          live = applied(apply(live, map(wanted), manager, true));
          expect(live["data"] ?? {}).toMatchObject(wanted);
          // Every field has an owner, and every owned field is there.
          const owned = new Set(
            Object.values(owners(live)).flatMap((fields) => Object.keys((fields as object | undefined) ?? {})),
          );
          owned.delete(".");
          expect([...owned].sort()).toEqual(
            Object.keys(live["data"] ?? {})
              .map((key) => `f:${key}`)
              .sort(),
          );
        }
      }),
    );
  });
});

describe("managed fields of updates", () => {
  it("name the fields that changed, and lose those that are deleted", () => {
    const first = recordUpdate(context, { before: undefined, after: map({ a: "1", b: "1" }), manager: "anna" });
    const second = recordUpdate(context, {
      before: first,
      after: { ...first, data: { b: "2", c: "1" } },
      manager: "bert",
    });
    expect(owners(second)).toEqual({ "anna Update": {}, "bert Update": { "f:b": {}, "f:c": {} } });
  });

  it("keep their times when another manager writes", () => {
    const first = recordUpdate(context, { before: undefined, after: map({ a: "1" }), manager: "anna" });
    const later = { ...context, time: "2024-01-01T01:00:00Z" };
    const second = recordUpdate(later, {
      before: first,
      after: { ...first, data: { a: "1", b: "1" } },
      manager: "bert",
    });
    expect(entriesOf(second).map(({ manager, time }) => [manager, time])).toEqual([
      ["anna", "2024-01-01T00:00:00Z"],
      ["bert", "2024-01-01T01:00:00Z"],
    ]);
  });

  it("are forgotten when a client sends an empty list, and stay away until the first apply", () => {
    const first = recordUpdate(context, { before: undefined, after: map({ a: "1" }), manager: "anna" });
    const reset = { ...first, metadata: { name: "a", managedFields: [] } };
    const second = recordUpdate(context, { before: first, after: reset, manager: "anna" });
    expect(entriesOf(second)).toEqual([]);
    const third = recordUpdate(context, { before: second, after: map({ a: "2" }), manager: "anna" });
    expect(entriesOf(third)).toEqual([]);
  });

  it("gather the oldest of more than ten updaters", () => {
    let live: JsonObject | undefined;
    for (let index = 0; index < 13; index++) {
      const time = `2024-01-01T00:00:${String(index).padStart(2, "0")}Z`;
      const data = { ...(live?.["data"] as JsonObject | undefined), [`k${index}`]: "1" };
      const after = { ...(live ?? map({})), data };
      live = recordUpdate({ ...context, time }, { before: live, after, manager: `m${index}` });
    }
    const names = entriesOf(live ?? {}).map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names).toContain("ancient-changes");
    expect(names).toContain("m12");
    expect(names).not.toContain("m0");
  });

  it("leave out fields that an endpoint resets", () => {
    const text = { type: "object", additionalProperties: { type: "string" } } as const;
    const custom: ApplyContext = {
      apiVersion: "a.b/v1",
      kind: "Foo",
      schema: customSchema({ type: "object", properties: { spec: text, status: text } }),
      emptyObject: { apiVersion: "a.b/v1", kind: "Foo" },
      subresource: "status",
      resetFields: fieldSetOf([fieldElement("spec")]),
      time: "2024-01-01T00:00:00Z",
    };
    const before = { apiVersion: "a.b/v1", kind: "Foo", metadata: { name: "x", managedFields: [entry] } };
    const after = { ...before, spec: { a: "1" }, status: { b: "1" } };
    const own = entriesOf(recordUpdate(custom, { before, after, manager: "m" })).at(-1);
    expect(own).toMatchObject({ subresource: "status", fieldsV1: { "f:status": { ".": {}, "f:b": {} } } });
    expect(own?.fieldsV1).not.toHaveProperty("f:spec");
  });
});

const entry: JsonObject = {
  manager: "a",
  operation: "Apply",
  apiVersion: "a.b/v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:metadata": { "f:labels": { "f:x": {} } } },
};
