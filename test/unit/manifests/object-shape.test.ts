import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { readObject } from "../../../src/manifests/object-shape.ts";
import { parseText } from "./read-text.ts";

const secret = { apiVersion: "v1", kind: "Secret", isNamespaced: true };
const member = { apiVersion: "cluster.kubernetes-fleet.io/v1", kind: "MemberCluster", isNamespaced: false };

/** `path part: message | fix` of everything that is wrong with a Secret of this metadata. */
function seen(metadata: JsonObject): string[] {
  const { object, findings } = readObject({ metadata }, secret);
  if (findings.length > 0) expect(object).toBeUndefined();
  return findings.map(({ code, path, part, message, fix }) => {
    expect(code).toBe("E_SCHEMA");
    return `${path.join("/")} ${part} | ${message}${fix === undefined ? "" : ` | ${fix}`}`;
  });
}

const quote = "Put the value in quotes.";
const characters = (count: number) => `Use lower-case letters, digits and hyphens, at most ${count} characters.`;

describe("readObject", () => {
  it("reads what a file may declare, and neither the status nor other metadata", () => {
    const metadata = { name: "a", namespace: "b", labels: { c: "d" }, annotations: { e: "" }, uid: "f" };
    const value = { kind: "other", apiVersion: "other", metadata, spec: {}, data: { g: "h" }, status: { i: 1 } };
    expect(readObject(value, secret)).toStrictEqual({
      object: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "a", namespace: "b", labels: { c: "d" }, annotations: { e: "" } },
        spec: {},
        data: { g: "h" },
      },
      findings: [],
    });
  });

  it.each([[{ name: "a" }], [{ name: "a", labels: null, annotations: null }]])(
    "reads an object of which there is only a name: %j",
    (metadata) => {
      const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
      expect(readObject({ metadata }, secret)).toStrictEqual({ object, findings: [] });
    },
  );

  it.each([[undefined], [null], ["a"], [["a"]]])("refuses metadata that are no map: %j", (metadata) => {
    const value: JsonObject = metadata === undefined ? {} : { metadata };
    expect(readObject(value, secret)).toStrictEqual({
      object: undefined,
      findings: [{ code: "E_SCHEMA", path: ["metadata"], part: "key", message: "metadata: must be a map with a name" }],
    });
  });

  it("refuses the namespace of a kind that has none", () => {
    const metadata = { name: "a", namespace: "b" };
    expect(readObject({ metadata }, member)).toStrictEqual({
      object: undefined,
      findings: [
        {
          code: "E_SCHEMA",
          path: ["metadata", "namespace"],
          part: "key",
          message: "metadata.namespace: MemberCluster has no namespace",
          fix: "Delete the field.",
        },
      ],
    });
    expect(readObject({ metadata: { name: "a" } }, member).findings).toEqual([]);
  });

  it.each([[null], ["text"], [["a"]]])("refuses a spec that is no map: %j", (spec) => {
    expect(readObject({ metadata: { name: "a" }, spec }, secret)).toStrictEqual({
      object: undefined,
      findings: [
        { code: "E_SCHEMA", path: ["spec"], part: "value", message: "spec: must be a map of keys and values" },
      ],
    });
  });
});

describe("readObject: names", () => {
  it.each([
    { name: "a" },
    { name: "a".repeat(253), namespace: "b".repeat(63) },
    { name: "a-b.c-1", namespace: "b-1" },
    { name: "0", namespace: "0" },
  ])("takes $name in $namespace", (metadata) => {
    expect(seen(metadata)).toEqual([]);
  });

  it.each([
    ["A", '"A"'],
    ["a_b", '"a_b"'],
    ["a-", '"a-"'],
    ["-a", '"-a"'],
    ["", '""'],
    ["a".repeat(254), `"${"a".repeat(60)}…"`],
  ])("refuses the name %j", (name, shown) => {
    const line = `metadata/name value | metadata.name: ${shown} is no name of an object | ${characters(253)}`;
    expect(seen({ name })).toEqual([line]);
  });

  it.each([
    ["a.b", '"a.b"'],
    ["b".repeat(64), `"${"b".repeat(60)}…"`],
  ])("refuses the namespace %j", (namespace, shown) => {
    const line = `metadata.namespace: ${shown} is no namespace of an object | ${characters(63)}`;
    expect(seen({ name: "a", namespace })).toEqual([`metadata/namespace value | ${line}`]);
  });

  it.each([
    [123, quote],
    [true, quote],
    [null, characters(253)],
    [["a"], characters(253)],
    [{ a: "b" }, characters(253)],
  ])("refuses a name that is no text, and asks for quotes where they help: %j", (name, fix) => {
    const line = `metadata/name value | metadata.name: this value is no name of an object | ${fix}`;
    expect(seen({ name })).toEqual([line]);
  });

  it("reports once that there is no name, together with what else is wrong", () => {
    expect(seen({})).toEqual(["metadata key | metadata.name: is missing"]);
    expect(seen({ namespace: "B", labels: 5 })).toEqual([
      "metadata key | metadata.name: is missing",
      `metadata/namespace value | metadata.namespace: "B" is no namespace of an object | ${characters(63)}`,
      "metadata/labels value | metadata.labels: must be a map of texts",
    ]);
  });
});

describe.each(["labels", "annotations"])("readObject: %s", (field) => {
  it.each([["text"], [5], [["a"]], [false]])("refuses what is no map: %j", (value) => {
    const line = `metadata/${field} value | metadata.${field}: must be a map of texts`;
    expect(seen({ name: "a", [field]: value })).toEqual([line]);
  });

  it.each([
    [{ a: "b", c: 5 }, "c", ".c"],
    [{ "a b": true, c: 5 }, "a b", '["a b"]'],
    [{ a: null }, "a", ".a"],
    [{ "": 1 }, "", '[""]'],
  ])("refuses a value that is no text, and names the first: %j", (value, key, shown) => {
    const line = `metadata/${field}/${key} value | metadata.${field}${shown}: must be text | ${quote}`;
    expect(seen({ name: "a", [field]: value })).toEqual([line]);
  });
});

describe("a Secret in a file", () => {
  it("is refused with advice that helps, where its name is a number and its labels are a list", () => {
    const value = "ENC[AES256_GCM,data:x]";
    const metadata = "metadata:\n  name: 123\n  labels: [a]\n";
    const text = `apiVersion: v1\nkind: Secret\n${metadata}data: {a: "${value}"}\nsops: {mac: "${value}"}\n`;
    const problem = { code: "E_SCHEMA", severity: "error", file: "file.yaml" };
    expect(parseText(text).problems).toEqual([
      {
        ...problem,
        line: 4,
        column: 9,
        message: "metadata.name: this value is no name of an object",
        fix: "Put the value in quotes.",
      },
      { ...problem, line: 5, column: 11, message: "metadata.labels: must be a map of texts" },
    ]);
  });
});
