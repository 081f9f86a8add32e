import { describe, expect, it } from "vitest";
import { aggregate, quoteList, quoteText } from "../../../../src/core/formats/go-text.ts";

/** What Go's fmt prints of the same texts with %q. */
describe("quoteText", () => {
  it.each([
    ["", '""'],
    ["a b'`", '"a b\'`"'],
    ['"\\', '"\\"\\\\"'],
    ["\u0007\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
    ["\0\u0001\u007f", '"\\x00\\x01\\x7f"'],
    ["\u0080\u00a0\u00ad", '"\\u0080\\u00a0\\u00ad"'],
    ["ä☃e\u0301😀", '"ä☃e\u0301😀"'],
    ["\u2028\u200b\ufeff\ue000", '"\\u2028\\u200b\\ufeff\\ue000"'],
    ["\u{e0001}\u{10ffff}", '"\\U000e0001\\U0010ffff"'],
    ["\uffff\u{10000}", '"\\uffff\u{10000}"'],
  ])("quotes %j", (text, quoted) => {
    expect(quoteText(text)).toBe(quoted);
  });

  it("quotes each text of a list", () => {
    expect(quoteList(["a", 'b"'])).toBe('["a" "b\\""]');
    expect(quoteList([])).toBe("[]");
  });
});

describe("aggregate", () => {
  it.each([
    [["a"], "a"],
    [["a", "a"], "a"],
    [["a", "b", "a"], "[a, b]"],
    [[], "[]"],
  ])("makes one text of the errors %j", (errors, text) => {
    expect(aggregate(errors)).toBe(text);
  });
});
