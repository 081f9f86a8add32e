import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  applyObject,
  recordUpdate,
  withoutTimeOnlyChange,
} from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import type { ApplyContext, ApplyResult } from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";
import type { ManagedFieldsEntry } from "../../../../src/model/kubernetes.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const time = "2026-01-02T03:04:05Z";
const context: ApplyContext = {
  apiVersion: "v1",
  kind: "ConfigMap",
  schema: schemaOf("", "v1", "ConfigMap") ?? {},
  emptyObject: { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
  time,
};

function map(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data };
}

function apply(live: JsonObject | undefined, intent: JsonObject, manager = "anna", changes: object = {}): ApplyResult {
  return applyObject(context, { live, intent, manager, isForced: false, ...changes });
}

function applied(result: ApplyResult): JsonObject {
  if (result.kind !== "applied") throw new Error(JSON.stringify(result));
  return result.object;
}

function entriesOf(object: JsonObject): readonly ManagedFieldsEntry[] {
  return (object["metadata"] as { managedFields?: ManagedFieldsEntry[] }).managedFields ?? [];
}

function ownersOf(object: JsonObject): string[] {
  return entriesOf(object).map(({ manager, operation, time: at }) => `${manager} ${operation} ${at}`);
}

describe("kubectl apply --server-side after kubectl apply", () => {
  /** What kubectl applied on the client's side. */
  const clientSide = (data: JsonObject, manager = "kubectl-client-side-apply") => {
    const text = JSON.stringify(map(data));
    return recordUpdate(context, {
      before: undefined,
      after: map(data, { annotations: { [annotation]: text } }),
      manager,
    });
  };

  it("has no conflicts over what kubectl had applied, and keeps its annotation in step", () => {
    const result = applied(apply(clientSide({ a: "1" }), map({ a: "2" }), "kubectl"));
    expect(result["data"]).toEqual({ a: "2" });
    const { annotations } = result["metadata"] as { annotations: Record<string, string> };
    expect(JSON.parse(annotations[annotation] ?? "")).toEqual(map({ a: "2" }));
  });

  it("has conflicts over what another manager changed since, and names no others", () => {
    const live = clientSide({ a: "1", b: "1" });
    const edited = recordUpdate(context, {
      before: live,
      after: { ...live, data: { a: "1", b: "9" } },
      manager: "edit",
    });
    expect(apply(edited, map({ a: "2", b: "2" }), "kubectl")).toMatchObject({
      kind: "conflict",
      message: 'Apply failed with 1 conflict: conflict with "edit" using v1: .data.b',
    });
  });

  it("is for kubectl alone", () => {
    expect(apply(clientSide({ a: "1" }), map({ a: "2" }), "anna").kind).toBe("conflict");
  });

  it("wants the annotation", () => {
    const live = recordUpdate(context, {
      before: undefined,
      after: map({ a: "1" }),
      manager: "kubectl-client-side-apply",
    });
    expect(apply(live, map({ a: "2" }), "kubectl").kind).toBe("conflict");
    expect(applied(apply(undefined, map({ a: "1" }), "kubectl"))["metadata"]).not.toHaveProperty("annotations");
  });

  it("does not touch the annotation for another manager", () => {
    const live = clientSide({ a: "1" });
    const result = applied(apply(live, map({ b: "2" }), "anna"));
    expect(result["metadata"]).toMatchObject({ annotations: { [annotation]: JSON.stringify(map({ a: "1" })) } });
  });
});

describe("the time of an applier", () => {
  const later = { ...context, time: "2026-01-02T09:00:00Z" };

  it("is that of the last apply that changed the object", () => {
    const first = applied(apply(undefined, map({ a: "1" })));
    const request = { live: first, manager: "anna", isForced: false };
    expect(ownersOf(applied(applyObject(later, { ...request, intent: map({ a: "2" }) })))).toEqual([
      "anna Apply 2026-01-02T09:00:00Z",
    ]);
    expect(ownersOf(applied(applyObject(later, { ...request, intent: map({ a: "1" }) })))).toEqual([
      `anna Apply ${time}`,
    ]);
  });

  it("is not there when its first apply changed nothing", () => {
    const live = recordUpdate(context, { before: undefined, after: map({ a: "1" }), manager: "bert" });
    const result = applied(applyObject(later, { live, intent: map({ a: "1" }), manager: "anna", isForced: false }));
    expect(ownersOf(result)).toEqual(["anna Apply undefined", `bert Update ${time}`]);
  });
});

describe("applyObject", () => {
  it("completes what it changed, and nothing else", () => {
    const complete = (object: JsonObject) => ({ ...object, completed: true });
    const first = applied(apply(undefined, map({ a: "1" }), "anna", { complete }));
    expect(first["completed"]).toBe(true);
    const { completed: _completed, ...stored } = first;
    expect(applied(apply(stored, map({ a: "1" }), "anna", { complete }))).toEqual(stored);
  });

  it("calls a manager without a name unknown", () => {
    expect(ownersOf(applied(apply(undefined, map({ a: "1" }), "")))).toEqual([`unknown Apply ${time}`]);
  });

  it("fails for a live object whose managed fields cannot be read", () => {
    const live = map({ a: "1" }, { managedFields: [{ manager: "x", operation: "Apply" }] });
    expect(apply(live, map({ a: "1" }))).toEqual({ kind: "mismatch", message: "failed to decode managed fields" });
  });

  it.each([
    { reason: "another version", intent: { ...map({}), apiVersion: "v2" }, type: "/v2, Kind=ConfigMap" },
    { reason: "another group", intent: { ...map({}), apiVersion: "apps/v1" }, type: "apps/v1, Kind=ConfigMap" },
    { reason: "another kind", intent: { ...map({}), kind: "Secret" }, type: "/v1, Kind=Secret" },
    { reason: "no kind", intent: { apiVersion: "v1" }, type: "/v1, Kind=" },
    { reason: "no version", intent: { kind: "ConfigMap" }, type: "/, Kind=ConfigMap" },
  ])("refuses an intent of $reason", ({ intent, type }) => {
    expect(apply(undefined, intent)).toEqual({ kind: "badRequest", message: `invalid object type: ${type}` });
  });

  it("refuses an intent with managed fields, even with an empty list", () => {
    expect(apply(undefined, map({}, { managedFields: [] }))).toMatchObject({ kind: "badRequest" });
    expect(apply(undefined, map({}, { managedFields: null })).kind).toBe("applied");
  });

  it("names the object of an intent that does not fit, whatever its name is", () => {
    const misfit = (metadata: JsonObject) => {
      const result = apply(undefined, { ...map({ a: 1 }), metadata });
      return result.kind === "mismatch" ? result.message.slice(0, result.message.indexOf(")")) : result.kind;
    };
    expect(misfit({ name: "a", namespace: "n" })).toBe("failed to create typed patch object (n/a; /v1, Kind=ConfigMap");
    expect(misfit({ name: 1, namespace: 2 })).toBe("failed to create typed patch object (/; /v1, Kind=ConfigMap");
  });
});

describe("recordUpdate", () => {
  it("ignores managed fields in the request of a subresource", () => {
    const live = recordUpdate(context, { before: undefined, after: map({ a: "1" }), manager: "anna" });
    const after = { ...map({ a: "1", b: "1" }), metadata: { name: "a", managedFields: [] } };
    const result = recordUpdate({ ...context, subresource: "status" }, { before: live, after, manager: "bert" });
    expect(entriesOf(result).map(({ manager, subresource }) => [manager, subresource])).toEqual([
      ["anna", undefined],
      ["bert", "status"],
    ]);
    const plain = recordUpdate({ ...context, subresource: "" }, { before: live, after, manager: "bert" });
    expect(entriesOf(plain)).toEqual([]);
  });

  it("takes the managed fields of the request, and the live ones when those cannot be read", () => {
    const live = recordUpdate(context, { before: undefined, after: map({ a: "1" }), manager: "anna" });
    const sent = (managedFields: JsonObject[]) => {
      const after = map({ a: "1", b: "1" }, { managedFields });
      return entriesOf(recordUpdate(context, { before: live, after, manager: "bert" })).map(({ manager }) => manager);
    };
    const [entry] = entriesOf(live);
    const renamed = { ...entry, manager: "carl" } as unknown as JsonObject;
    expect(sent([renamed])).toEqual(["bert", "carl"]);
    expect(sent([{ manager: "odd" }])).toEqual(["anna", "bert"]);
    expect(sent([{}])).toEqual([]);
    expect(sent([{}, {}])).toEqual(["anna", "bert"]);
  });

  it("records the owner of a new object, even when its managed fields were sent empty", () => {
    const after = map({ a: "1" }, { managedFields: [] });
    expect(ownersOf(recordUpdate(context, { before: undefined, after, manager: "anna" }))).toEqual([
      `anna Update ${time}`,
    ]);
  });

  it("adds to what the same manager owned, at the new time", () => {
    const first = recordUpdate(context, { before: undefined, after: map({ a: "1" }), manager: "anna" });
    const later = { ...context, time: "2026-01-02T09:00:00Z" };
    const second = recordUpdate(later, {
      before: first,
      after: { ...first, data: { a: "1", b: "1" } },
      manager: "anna",
    });
    expect(ownersOf(second)).toEqual(["anna Update 2026-01-02T09:00:00Z"]);
    expect(entriesOf(second)[0]?.fieldsV1).toEqual({ "f:data": { ".": {}, "f:a": {}, "f:b": {} } });
    const same = recordUpdate(later, { before: first, after: first, manager: "anna" });
    expect(ownersOf(same)).toEqual([`anna Update ${time}`]);
  });

  it("tracks nothing of an object that does not fit its schema", () => {
    const live = recordUpdate(context, { before: undefined, after: map({ a: "1" }), manager: "anna" });
    expect(entriesOf(recordUpdate(context, { before: live, after: map({ a: 1 }), manager: "bert" }))).toEqual([]);
    const odd = { ...live, data: { a: 1 } };
    expect(entriesOf(recordUpdate(context, { before: odd, after: map({ a: "1" }), manager: "bert" }))).toEqual([]);
  });
});

describe("withoutTimeOnlyChange", () => {
  const owned = (at: string, data: JsonObject = { a: "1" }, manager = "anna") =>
    recordUpdate({ ...context, time: at }, { before: undefined, after: map(data), manager });

  it("takes back a change of times alone", () => {
    const before = owned(time);
    expect(withoutTimeOnlyChange(before, owned("2026-01-02T09:00:00Z"))).toEqual(before);
  });

  it("keeps any other change", () => {
    const other = owned("2026-01-02T09:00:00Z", { a: "2" });
    const renamed = owned("2026-01-02T09:00:00Z", { a: "1" }, "bert");
    expect(withoutTimeOnlyChange(owned(time), other)).toBe(other);
    expect(withoutTimeOnlyChange(owned(time), renamed)).toBe(renamed);
  });
});
