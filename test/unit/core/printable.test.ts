import { describe, expect, it } from "vitest";
import { printable } from "../../../src/core/printable.ts";

describe("printable", () => {
  it.each([
    { text: "clusters/München 1.yaml 😀", shown: "clusters/München 1.yaml 😀", reason: "plain text of any language" },
    { text: "a\u001b[31mb\u0007", shown: "a\\u{1b}[31mb\\u{7}", reason: "codes that colour and ring" },
    { text: "a\r\nb\u2028c\u0085d", shown: "a\\u{d}\\u{a}b\\u{2028}c\\u{85}d", reason: "line ends of every kind" },
    { text: "a\u202eb\u2066c\u200fd", shown: "a\\u{202e}b\\u{2066}c\\u{200f}d", reason: "marks that turn the writing" },
    { text: "a\ud800b", shown: "a\\u{d800}b", reason: "half a character" },
  ])("A44 makes visible: $reason", ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });
});
