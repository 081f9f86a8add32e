import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { ownedByLastApplied, withLastApplied } from "../../../../src/embedded-hub/apply/last-applied.ts";
import { mergeTypeOf } from "../../../../src/embedded-hub/apply/merge-type.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";
import { textsOf } from "./apply-builders.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const type = mergeTypeOf(schemaOf("", "v1", "ConfigMap") ?? {});

function map(data: JsonObject, annotations: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", annotations }, data };
}

/** The live object with what kubectl wrote down. */
function annotated(data: JsonObject, lastApplied: unknown): JsonObject {
  return map(data, { [annotation]: typeof lastApplied === "string" ? lastApplied : JSON.stringify(lastApplied) });
}

function owned(live: JsonObject): string[] | undefined {
  const set = ownedByLastApplied(type, live, "v1");
  return set === undefined ? undefined : textsOf(set);
}

describe("ownedByLastApplied", () => {
  it("are the fields that still have the value that was applied", () => {
    const last = { apiVersion: "v1", kind: "ConfigMap", data: { same: "1", changed: "1", gone: "1" } };
    expect(owned(annotated({ same: "1", changed: "2", added: "1" }, last))).toEqual([
      ".apiVersion",
      ".kind",
      ".data.same",
    ]);
  });

  const last = map({ a: "1" });
  it.each<{ reason: string; live: JsonObject }>([
    { reason: "an object without annotations", live: { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } } },
    { reason: "an empty annotation", live: annotated({ a: "1" }, "") },
    { reason: "an annotation that is no text", live: map({ a: "1" }, { [annotation]: 1 }) },
    { reason: "an annotation that is no JSON", live: annotated({ a: "1" }, "{") },
    { reason: "an annotation that is no object", live: annotated({ a: "1" }, [last]) },
    { reason: "another version", live: annotated({ a: "1" }, { ...last, apiVersion: "v2" }) },
    { reason: "an annotation that does not fit the schema", live: annotated({ a: "1" }, { ...last, data: { a: 1 } }) },
    { reason: "a live object that does not fit the schema", live: { ...annotated({}, last), data: { a: 1 } } },
  ])("are unknown for $reason", ({ live }) => {
    expect(owned(live)).toBeUndefined();
  });
});

describe("withLastApplied", () => {
  const textOf = (object: JsonObject) => ((object["metadata"] as JsonObject)["annotations"] as JsonObject)[annotation];

  it("writes down what was applied, keys in order, without itself", () => {
    const intent = map({ b: "1", a: "2" }, { [annotation]: "old", z: "1" });
    const result = withLastApplied(map({ c: "1" }, { [annotation]: "old", kept: "1" }), intent);
    expect(textOf(result)).toBe(
      '{"apiVersion":"v1","data":{"a":"2","b":"1"},"kind":"ConfigMap","metadata":{"annotations":{"z":"1"},"name":"a"}}\n',
    );
    expect(result).toMatchObject({ data: { c: "1" }, metadata: { name: "a", annotations: { kept: "1" } } });
  });

  it("writes no annotations when the intent has no others", () => {
    const result = withLastApplied(
      map({}, { [annotation]: "old" }),
      map({ list: [{ b: 1, a: null }] }, { [annotation]: "x" }),
    );
    expect(textOf(result)).toBe(
      '{"apiVersion":"v1","data":{"list":[{"a":null,"b":1}]},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    );
  });

  it.each([{}, { [annotation]: "" }, { [annotation]: 1 }])(
    "leaves an object with the annotations %j alone",
    (annotations) => {
      const object = map({ a: "1" }, annotations);
      expect(withLastApplied(object, map({ a: "2" }))).toBe(object);
    },
  );

  it("drops the annotation when all annotations together would be over 256 KiB", () => {
    const sizeOf = (object: JsonObject) =>
      Object.entries((object["metadata"] as JsonObject)["annotations"] as JsonObject).reduce(
        (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value as string),
        0,
      );
    const kept = (padding: string) =>
      withLastApplied(map({}, { [annotation]: "old", padding }), map({ a: "ü" }, { [annotation]: "x" }));
    const room = 256 * 1024 - sizeOf(kept(""));
    const full = kept("p".repeat(room));
    expect(sizeOf(full)).toBe(256 * 1024);
    expect(textOf(full)).toContain("ü");
    const over = kept("p".repeat(room + 1));
    expect(textOf(over)).toBeUndefined();
    expect(over["metadata"]).toMatchObject({ annotations: { padding: "p".repeat(room + 1) } });
  });
});
