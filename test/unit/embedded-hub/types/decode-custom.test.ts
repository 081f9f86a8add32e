import { describe, expect, it } from "vitest";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { decodeCustom } from "../../../../src/embedded-hub/types/decode-custom.ts";
import { validateEmbedded } from "../../../../src/embedded-hub/types/validate-embedded.ts";

const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
};

describe("decodeCustom", () => {
  it("reads metadata as metadata and the rest by its schema", () => {
    const { object, unknownFields, error } = decodeCustom(
      { apiVersion: "a/v1", kind: "A", metadata: { name: "x", labels: {}, foo: 1 }, spec: { a: "1", b: 2 }, more: 1 },
      schema,
    );
    expect(error).toBeUndefined();
    expect(object).toEqual({ apiVersion: "a/v1", kind: "A", metadata: { name: "x" }, spec: { a: "1" } });
    expect(unknownFields).toEqual(["metadata.foo", "more", "spec.b"]);
  });

  it("refuses metadata that is none", () => {
    expect(decodeCustom({ metadata: { labels: { a: 1 } } }, schema).error).toBe(
      "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
    );
    expect(decodeCustom({ metadata: [] }, schema).error).toBe(
      "json: cannot unmarshal array into Go value of type v1.ObjectMeta",
    );
  });

  it("drops forbidden nulls, or keeps them for validation to refuse", () => {
    const given = { metadata: { name: "x" }, spec: { a: null } };
    expect(decodeCustom(given, schema).object).toEqual({ metadata: { name: "x" }, spec: {} });
    expect(decodeCustom(given, schema, { keepsNulls: true }).object).toEqual(given);
  });

  it("cleans metadata of objects within the object", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", creationTimestamp: null, foo: 1 },
      spec: { any: 1 },
    };
    const { object, unknownFields } = decodeCustom({ metadata: { name: "x" }, spec: { pod } }, schema);
    expect(object).toMatchObject({ spec: { pod: { metadata: { name: "p" }, spec: { any: 1 } } } });
    expect(unknownFields).toEqual(["spec.pod.metadata.foo"]);
    expect(decodeCustom({ spec: { pod: { kind: 1 } } }, schema).error).toContain(
      "spec.pod.kind: Invalid value: 1: must be a string",
    );
  });
});

describe("validateEmbedded", () => {
  it("asks objects within the object for kind and version, but not for a name", () => {
    const texts = validateEmbedded({ spec: { pod: { metadata: { labels: { "a b": "c" } } } } }, schema).map(
      ({ field, message }) => `${field}: ${message}`,
    );
    expect(texts).toEqual([
      "spec.pod.apiVersion: Required value",
      "spec.pod.kind: Required value",
      expect.stringMatching(/^spec\.pod\.metadata\.labels: Invalid value: "a b": name part must consist of/u),
    ]);
    expect(validateEmbedded({ spec: { pod: { apiVersion: "v1", kind: "Pod" } } }, schema)).toEqual([]);
  });
});
