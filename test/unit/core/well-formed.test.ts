import { describe, expect, it } from "vitest";
import { findSurrogateEscape, wellFormed } from "../../../src/core/well-formed.ts";

describe("wellFormed", () => {
  it("puts U+FFFD in place of each half of a character", () => {
    const value = { "a\ud800": ["\udc00b", "\ud83d\ude00", 1, null, 2n ** 60n], c: { d: "\ud800\ud800e" } };
    expect(wellFormed(value)).toEqual({
      "a\ufffd": ["\ufffdb", "\ud83d\ude00", 1, null, 2n ** 60n],
      c: { d: "\ufffd\ufffde" },
    });
  });
});

describe("findSurrogateEscape", () => {
  it.each([
    [String.raw`{"a":"\ud800"}`, 6],
    [String.raw`{"a":"\uDBff"}`, 6],
    [String.raw`{"a":"\\\ud800"}`, 8],
    [String.raw`{"a":"\\ud800"}`, undefined],
    [String.raw`{"a":"\u0041\ud7ff\ue000"}`, undefined],
    [String.raw`{"a":"\u0041\\u\uD8"}`, 15],
    ["\ud83d\ude00", undefined],
  ])("finds escapes of surrogates alone: %s", (text, place) => {
    expect(findSurrogateEscape(text)).toBe(place);
  });
});
