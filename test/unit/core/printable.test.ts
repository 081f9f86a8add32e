import { describe, expect, it } from "vitest";
import { printable, printableLines, writePrintable } from "../../../src/core/printable.ts";

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

  it.each([
    { text: "\u0440rod/a.yaml", shown: "\\u{440}rod/a.yaml", reason: "a Cyrillic letter before a Latin one" },
    { text: "hub.t\u0435st", shown: "hub.t\\u{435}st", reason: "one between Latin ones" },
    { text: "ap\u03c1", shown: "ap\\u{3c1}", reason: "a Greek letter behind one" },
    { text: "\u13a2\u13a0P", shown: "\u13a2\\u{13a0}P", reason: "the last of a word of Cherokee that ends in Latin" },
    { text: "Москва-prod αβγ, 10 Ω", shown: "Москва-prod αβγ, 10 Ω", reason: "no word of one script" },
    { text: "東京DC Łódź 5µs", shown: "東京DC Łódź 5µs", reason: "no script without such letters" },
  ])("A213 makes visible: $reason", ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });
});

it("A44 keeps the line feeds of a text of lines, and no other line end", () => {
  expect(printableLines("a\u001b\nb\r\n\nc\u2028")).toBe("a\\u{1b}\nb\\u{d}\n\nc\\u{2028}");
});

it("A44 writes JSON whose texts are printable once it is read", () => {
  const [value, shown] = [{ "k\u202e": ["a\u0085", 1, null] }, { "k\\u{202e}": ["a\\u{85}", 1, null] }];
  expect(JSON.parse(writePrintable(value))).toEqual(shown);
  expect(writePrintable({ a: ["é", 1] })).toBe('{"a":["é",1]}');
});
