import { describe, expect, it } from "vitest";
import { printable } from "../../../src/core/printable.ts";

describe("printable", () => {
  it.each([
    { text: "clusters/München 1.yaml 😀", shown: "clusters/München 1.yaml 😀", reason: "plain text of any language" },
    { text: "a\u001b[31mb\u0007", shown: "a\\u{1b}[31mb\\u{7}", reason: "codes that colour and ring" },
    { text: "a\r\nb\u2028c\u0085d", shown: "a\\u{d}\\u{a}b\\u{2028}c\\u{85}d", reason: "line ends of every kind" },
    { text: "a\u202eb\u2066c\u200fd", shown: "a\\u{202e}b\\u{2066}c\\u{200f}d", reason: "marks that turn the writing" },
    { text: "a\ud800b", shown: "a\\u{d800}b", reason: "half a character" },
    {
      text: "👩\u200d👧 👁\ufe0f می\u200cخواهم 東京\u3000都",
      shown: "👩\u200d👧 👁\ufe0f می\u200cخواهم 東京\u3000都",
      reason: "no joiner of emoji and scripts",
    },
  ])("A44 makes visible: $reason", ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });

  it.each([
    { text: "pro\u200bd\u00ad\u2060", shown: "pro\\u{200b}d\\u{ad}\\u{2060}", reason: "characters without a width" },
    { text: "a\u200d\u200cb\ufe0f", shown: "a\\u{200d}\u200cb\\u{fe0f}", reason: "joiners behind ASCII" },
    { text: "a\u3164\u115f\u2800b", shown: "a\\u{3164}\\u{115f}\\u{2800}b", reason: "letters that look like a blank" },
    { text: "a\u{e0062}\u{e0001}", shown: "a\\u{e0062}\\u{e0001}", reason: "tags, a whole hidden alphabet" },
    { text: "a\u00a0b\u2003c", shown: "a\\u{a0}b\\u{2003}c", reason: "blanks that are none" },
  ])("A195 makes visible: $reason", ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });
});
