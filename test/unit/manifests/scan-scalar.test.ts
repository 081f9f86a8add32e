import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { scanPlain, scanQuoted } from "../../../src/manifests/scan-scalar.ts";

describe("scanPlain", () => {
  it.each<{ value: Json; texts: readonly string[] }>([
    { value: null, texts: ["~", "null"] },
    { value: true, texts: ["true"] },
    { value: false, texts: ["false"] },
    { value: 0, texts: ["0"] },
    { value: 9, texts: ["9"] },
    { value: 999_999_999_999_999, texts: ["999999999999999"] },
  ])("takes $texts for $value", ({ value, texts }) => {
    expect(texts.map((text) => scanPlain(text))).toEqual(texts.map(() => value));
  });

  it.each([
    {
      reason: "letters and what is like them",
      texts: ["a", "z", "A", "Z", "_", "/", "é", "\u00a1", "a b", "_1", "/1"],
    },
    {
      reason: "what begins with a digit and is no number",
      texts: ["1.2.3", "5m", "0s", "9a", "1 2", "1-2", "1e", "1_a", "2024-01-01"],
    },
    { reason: "longer words", texts: ["nullable", "falsey", "truest", "yes it is", "y1", "offer", "noble"] },
  ])("takes for text $reason: $texts", ({ texts }) => {
    expect(texts.map((text) => scanPlain(text))).toEqual(texts);
  });

  it.each([
    {
      reason: "words that depend on case or on the version",
      texts: ["True", "FALSE", "Null", "yes", "No", "ON", "off", "y", "N"],
    },
    {
      reason: "numbers that are no plain integers",
      texts: ["00", "01", "1.", "1.5", "1e3", "1E-3", "1.5e+3", "1_000", "1.0_0"],
    },
    { reason: "numbers of other bases", texts: ["0x1", "0o7", "0b1", "0X1", "1:30", "12:30:45", "1_0:5", "9:a"] },
    { reason: "numbers with too many digits", texts: ["1000000000000000"] },
    { reason: "signs", texts: ["-1", "+1", ".5", "-", "@a", "`a", "[", "^", "{", ":a", "?", "!a", "\u00a0"] },
    { reason: "a dash that begins a line", texts: ["-a", "--"] },
  ])("leaves to the parser $reason: $texts", ({ texts }) => {
    expect(texts.filter((text) => scanPlain(text) !== undefined)).toEqual([]);
  });
});

describe("scanQuoted", () => {
  it.each([
    { text: "'a' b", end: 3 },
    { text: '"a"', end: 3 },
    { text: "''", end: 2 },
    { text: '""', end: 2 },
    { text: "'a\\'", end: 4 },
    { text: "'\"'", end: 3 },
    { text: '"\'" \\', end: 3 },
    { text: "'a", end: undefined },
    { text: "'a''b'", end: undefined },
    { text: '"a\\n"', end: undefined },
    { text: '"a\\"b"', end: undefined },
    { text: '"a""b"', end: undefined },
    { text: "\"a'", end: undefined },
  ])("ends $text at $end", ({ text, end }) => {
    expect(scanQuoted(text, 0, text.length)).toBe(end);
    expect(scanQuoted(`x${text}`, 1, text.length + 1)).toBe(end === undefined ? undefined : end + 1);
  });

  it("finds no end behind the end of the line", () => {
    expect(scanQuoted("'a\n'", 0, 2)).toBeUndefined();
    expect(scanQuoted("'a'", 0, 2)).toBeUndefined();
    expect(scanQuoted("'a'", 0, 3)).toBe(3);
  });
});
