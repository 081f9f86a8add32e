import { describe, expect, it } from "vitest";
import { covers, namesOneOf, parseAccept } from "../../../../src/embedded-hub/http/accept-clauses.ts";

describe("parseAccept", () => {
  const typesOf = (header: string): string[] => parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`);

  it("puts what is wanted most first, and wildcards last", () => {
    expect(typesOf("*/*, a/*, a/b;q=0.5, a/c")).toEqual(["a/c", "a/b", "a/*", "*/*"]);
    expect(typesOf("a/b;q=0.1,a/c;q=x,a/d;q=2")).toEqual(["a/d", "a/b", "a/c"]);
  });

  it("leaves out what is no media type", () => {
    expect(typesOf("a,/,;,a/b/c,, *")).toEqual(["*/*"]);
  });

  it("reads parameters with one value, and keeps cases apart", () => {
    const [clause] = parseAccept("Application/JSON; as = Table ;v;g=;x=1=2");
    expect([clause?.type, clause?.subtype]).toEqual(["Application", "JSON"]);
    expect([...(clause?.parameters ?? [])]).toEqual([["as", "Table"]]);
  });
});

describe("covers", () => {
  it.each([
    ["*/*", true, "everything"],
    ["application/*", true, "each subtype"],
    ["application/json", true, "itself"],
    ["*/json", false, "a wildcard of types needs one of subtypes"],
    ["APPLICATION/JSON", false, "cases differ"],
  ])("of %s and application/json is %s: %s", (header, expected) => {
    expect(parseAccept(header).map((clause) => covers(clause, "application/json"))).toEqual([expected]);
  });
});

describe("namesOneOf", () => {
  it("needs a type as it is written, or everything", () => {
    const isNamed = (header: string): boolean => namesOneOf(header, ["application/json"]);
    expect(["text/html, application/json ;q=0", "*/*;q=0.1"].map(isNamed)).toEqual([true, true]);
    expect(["application/*", "*", "application/ json", "text/html"].map(isNamed)).toEqual([false, false, false, false]);
  });
});
