import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { createScanAnchors, setAnchor } from "../../../src/manifests/scan-anchors.ts";
import { scanFlowValue } from "../../../src/manifests/scan-flow-value.ts";

function scan(text: string, end = text.length) {
  const anchors = createScanAnchors();
  setAnchor(anchors, "k", "known");
  return scanFlowValue({ text, end, anchors }, 0);
}

const nested = (open: string, depth: number, close: string): string => open.repeat(depth) + close.repeat(depth);

describe("scanFlowValue", () => {
  it.each<{ text: string; value: Json }>([
    { text: "[]", value: [] },
    { text: "[  ]", value: [] },
    { text: "{}", value: {} },
    { text: "{  }", value: {} },
    { text: "[a]", value: ["a"] },
    { text: "[ a , b ]", value: ["a", "b"] },
    { text: "[a,b]", value: ["a", "b"] },
    { text: "[a b, 1, true, null, 1.2.3]", value: ["a b", 1, true, null, "1.2.3"] },
    { text: "['a, ]', \"b}\"]", value: ["a, ]", "b}"] },
    {
      text: "[a-b, a/b, a.b, a+b, a=b, a@b, a*, a?, a(b), a_b]",
      value: ["a-b", "a/b", "a.b", "a+b", "a=b", "a@b", "a*", "a?", "a(b)", "a_b"],
    },
    { text: "{a: b}", value: { a: "b" } },
    { text: "{  a:   b  ,  c:  d  }", value: { a: "b", c: "d" } },
    { text: "{a: b,c: d}", value: { a: "b", c: "d" } },
    { text: "{a.b/c-1: {d: [e, {f: 1}]}}", value: { "a.b/c-1": { d: ["e", { f: 1 }] } } },
    { text: "{a: 'b', c: \"d\"}", value: { a: "b", c: "d" } },
    { text: "[*k, *k]", value: ["known", "known"] },
    { text: "{a: *k , b: *k}", value: { a: "known", b: "known" } },
    { text: "[&n 1, *n, {a: *n}]", value: [1, 1, { a: 1 }] },
    { text: "[&n   [1], *n]", value: [[1], [1]] },
    { text: "[&n {a: 1}, *n, &n 2, *n]", value: [{ a: 1 }, { a: 1 }, 2, 2] },
    { text: nested("[", 9, "]"), value: [[[[[[[[[]]]]]]]]] },
    { text: `${"{a: ".repeat(8)}1${"}".repeat(8)}`, value: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } },
  ])("reads $text", ({ text, value }) => {
    expect(scan(text)).toEqual({ value, end: text.length });
    expect(scan(`${text} # c`)).toEqual({ value, end: text.length });
  });

  it.each([
    {
      reason: "an entry without value",
      texts: ["[a, ]", "[, a]", "[a,, b]", "{a: b, }", "{a: }", "{, a: b}", "{a}", "{a:}"],
    },
    { reason: "what is not closed on the line", texts: ["[", "[a", "[a,", "{", "{a: b", "{a: b,", "['a", "{a: 'b"] },
    { reason: "the wrong bracket", texts: ["[a}", "{a: b]", "[{a: b]]"] },
    { reason: "two values", texts: ["['a' b]", "[[a] b]", "{a: [b] c}", "{a: 'b' 'c'}"] },
    {
      reason: "keys that are not plain",
      texts: ["{'a': b}", "{1: a}", "{yes: a}", "{null: a}", "{a b: c}", "{[a]: b}"],
    },
    { reason: "keys that occur twice, or mean something to JavaScript", texts: ["{a: b, a: c}", "{__proto__: a}"] },
    { reason: "a pair in a list", texts: ["[a: b]", "[a:b]", "[? a]"] },
    { reason: "scalars that others read differently", texts: ["[yes]", "[1.0]", "{a: 010}", "{a: -1}", "[~]", "[é]"] },
    {
      reason: "anchors that are not plain",
      texts: ["[&n]", "[&n, a]", "[&n &m a]", "[&n *k]", "[& a]", "{a: &n}", "[&n yes]"],
    },
    { reason: "aliases without a value so far", texts: ["[*n]", "[&n [*n]]", "[* k]", "[*k a]", "{a: *n}"] },
    { reason: "comments", texts: ["[a #c\n]", "[a, #c\n]"] },
    { reason: "what is nested ten deep", texts: [nested("[", 10, "]"), `${"{a: ".repeat(9)}1${"}".repeat(9)}`] },
    { reason: "a scalar at the end of the line", texts: ["a", "a b", "*n"] },
  ])("leaves to the parser $reason: $texts", ({ texts }) => {
    expect(texts.filter((text) => scan(text) !== undefined)).toEqual([]);
  });

  it.each(["[a, b]", "{a: b}", "[a , b]", "{a: 'b'}", "[[a]]", "[&n a, *n]"])(
    "reads nothing of the next line: %s",
    (text) => {
      for (let end = 1; end < text.length; end++) {
        const found = scan(`${text.slice(0, end)}\n${text.slice(end)}`, end);
        expect({ end, found }).toEqual({ end, found: undefined });
      }
    },
  );
});
