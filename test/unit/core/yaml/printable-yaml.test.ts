import { describe, expect, it } from "vitest";
import { printableYaml } from "../../../../src/core/yaml/printable-yaml.ts";
import { parse } from "yaml";

describe("printableYaml", () => {
  it.each([
    { reason: "a text without quotes", value: { "k\u200bey": ["Pr\u00adod", "a\u202eb"] } },
    { reason: "a text of several lines", value: { script: "#!/bin/sh\n\techo\u200b one\n\ntwo\n" } },
    { reason: "control characters", value: ["\u0000\u001b[2J\u009b31m\u007f"] },
    { reason: "characters beyond the basic plane", value: { tag: "a\u{e0062}", emoji: "👩\u200d👧 \u{1f600}" } },
    { reason: "half a character", value: ["a\ud800b"] },
  ])("A255 writes what is not seen in escapes, and means the same: $reason", ({ value }) => {
    const text = printableYaml(value);
    expect(parse(text)).toEqual(value);
    expect(text.replaceAll("👩\u200d👧", "")).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/u);
  });

  it("writes no half of a pair of surrogates, which kubectl refuses", () => {
    expect(printableYaml({ tag: "\u{e0062}" })).toBe('tag: "\\U000e0062"\n');
  });

  it("keeps a text of several lines as lines, and a long one as one line", () => {
    const long = "word ".repeat(40).trim();
    expect(printableYaml({ script: "one\ntwo\n", long })).toBe(`script: |\n  one\n  two\nlong: ${long}\n`);
  });

  it("writes each text that kubectl, or our reader, takes for a boolean, a number or a time in quotes", () => {
    const value = {
      a: "yes",
      b: "off",
      c: "012",
      d: "1_000",
      e: "2027-01-01T00:00:00Z",
      f: "y",
      g: "12:30:45",
      h: "0o17",
    };
    expect(parse(printableYaml(value), { version: "1.1" })).toEqual(value);
    expect(parse(printableYaml(value))).toEqual(value);
  });

  it("writes each value where it is", () => {
    const shared = { a: 1 };
    expect(printableYaml({ one: shared, two: shared })).toBe("one:\n  a: 1\ntwo:\n  a: 1\n");
  });
});
