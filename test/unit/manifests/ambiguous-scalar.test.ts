import { describe, expect, it } from "vitest";
import { otherReadingOf } from "../../../src/manifests/ambiguous-scalar.ts";

describe("otherReadingOf: what a reader of YAML 1.1 takes a text without quotes for", () => {
  it.each([
    { reading: "true", texts: ["y", "Y", "yes", "YES", "on", "On"] },
    { reading: "false", texts: ["n", "N", "no", "No", "off", "OFF"] },
    { reading: "an octal number", texts: ["00", "010", "-07", "+0_7", "089"] },
    { reading: "text", texts: ["0o7", "+0o17", "-0o0"] },
    { reading: "a binary number", texts: ["0b1", "-0b0_1", "+0b10"] },
    {
      reading: "a number to the base of 60",
      texts: ["1:30", "12:30:45", "190:20:30.15", "-1:05", "1_0:5", "+1:2.", "8:59", "9:30"],
    },
    {
      reading: "a number",
      texts: ["1_000", "-1_0", "+1_0.5", "1_0.", "1_0.2_5e+3", "1_0E-3", "1_0e3", "1_0e10", "0xF_f", "0x_1"],
    },
  ])("$reading: $texts", ({ reading, texts }) => {
    expect(texts.map((text) => `${text} ${otherReadingOf(text) ?? ""}`)).toEqual(
      texts.map((text) => `${text} ${reading}`),
    );
  });

  it.each([
    { reason: "words of every version", texts: ["true", "false", "null", "~", ""] },
    {
      reason: "texts with such a word in them",
      texts: ["yes1", "xon", "nope", "off-1", "yesterday", "ny", "yo", "yet", "one", "nor"],
    },
    { reason: "plain numbers", texts: ["0", "1", "-1", "+12", "1.5", "1e3", "0x1F", ".5"] },
    {
      reason: "texts that begin like a number",
      texts: [
        "0o8",
        "0b2",
        "0xg_1",
        "1_0x",
        "1_0e",
        "1_a",
        "-_1",
        "010a",
        "x010",
        "10o7",
        "0o7x",
        "10b1",
        "0b1x",
        "10x1_0",
      ],
    },
    {
      reason: "addresses, versions and times",
      texts: ["1:60", "1:", "10.0.0.1", "1.2.3", "2024-01-01", "1:2:x", "5m", "1:2.5x", "1.2:30"],
    },
    { reason: "texts that no digit or sign begins", texts: ["_1_0", "/1_0", ":1_0", ",1_0", ".1_0"] },
  ])("the same as here: $reason", ({ texts }) => {
    expect(texts.filter((text) => otherReadingOf(text) !== undefined)).toEqual([]);
  });
});
