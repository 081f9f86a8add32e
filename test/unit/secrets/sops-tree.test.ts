import { describe, expect, it } from "vitest";
import { jsonOfTree, malformed, readSopsDocuments } from "../../../src/secrets/sops-tree.ts";

const refused = expect.objectContaining({ code: "E_SOPS_FORMAT" }) as Error;

function read(text: string): unknown[] {
  return readSopsDocuments(text).map(({ tree }) => jsonOfTree(tree));
}

describe("readSopsDocuments", () => {
  it.each([
    { text: "a: !!str x", value: { a: "x" } },
    { text: "a: !!map {b: 1}", value: { a: { b: 1 } } },
    { text: "a: !!seq [1]", value: { a: [1] } },
    { text: '{"a": null, "b": [true, 1.5]}', value: { a: null, b: [true, 1.5] } },
    { text: '"1": x\n"null": y\n', value: { "1": "x", null: "y" } },
    { text: "a:\n", value: { a: null } },
    { text: "", value: undefined },
  ])("reads $text", ({ text, value }) => {
    expect(read(text)).toEqual(value === undefined ? [] : [value]);
  });

  it.each([
    { reason: "a tag of its own", text: "a: !secret x" },
    { reason: "a tag for another type", text: "a: !!int x" },
    { reason: "a tag of a list at a map", text: "a: !!seq {b: 1}" },
    { reason: "a tag of a map at a list", text: "a: !!map [1]" },
    { reason: "a tag of a set", text: "a: !!set {b}" },
    { reason: "binary data", text: "a: !!binary eA==" },
    { reason: "an alias", text: "a: &x 1\nb: *x" },
    { reason: "a merge", text: "a: &x {c: 1}\nb:\n  <<: *x" },
    { reason: "the key of a merge", text: '"<<": {}' },
    { reason: "the key __proto__", text: "__proto__: {}" },
    { reason: "a number as a key", text: "1: x" },
    { reason: "a truth value as a key", text: "true: x" },
    { reason: "null as a key", text: "null: x" },
    { reason: "a list as a key", text: "[a]: x" },
    { reason: "a key that occurs twice", text: '"a": 1\na: 2' },
    { reason: "a number of more than 64 bits", text: "a: 18446744073709551616" },
    { reason: "what is no YAML", text: "a: [" },
  ])("refuses $reason", ({ text }) => {
    expect(() => readSopsDocuments(`x: 1\n---\n${text}\n`)).toThrow(refused);
  });

  it("knows where the key sops of each document is, or where the document begins", () => {
    const places = readSopsDocuments("a: 1\nsops: {}\n---\nb: 1\n---\n{sops: 1}\n");
    expect(places.map(({ line, column }) => `${line}:${column}`)).toEqual(["2:1", "4:1", "6:2"]);
  });
});

it("names the line of what cannot be read, where it is known", () => {
  expect(malformed("it has a tag").message).toBe("read an encrypted file: it has a tag");
  expect(malformed("it has a tag", 7).message).toBe("read an encrypted file: it has a tag (line 7)");
});
