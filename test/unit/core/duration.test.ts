import { describe, expect, it } from "vitest";
import { formatAge, parseGoDuration } from "../../../src/core/duration.ts";

describe("parseGoDuration", () => {
  it.each([
    ["0", 0],
    ["-0", 0],
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["+1.5h", 5_400_000],
    ["-2m", -120_000],
    [".5s", 500],
    ["1.s", 1000],
    ["1ns", 1e-6],
    ["2562047h47m16.854775s", 9_223_372_036_854.775],
  ])("reads %s", (text, milliseconds) => {
    expect(parseGoDuration(text)).toBeCloseTo(milliseconds, 6);
  });

  it.each([
    "",
    "1",
    "1d",
    "1 h",
    "h",
    "1h ",
    "--1h",
    ".s",
    "1e3s",
    "1h\n",
    "2562048h",
    "99999999999999999h",
    "-2562048h",
  ])("takes %j for none, as Go does", (text) => {
    expect(parseGoDuration(text)).toBeUndefined();
  });
});

describe("formatAge", () => {
  it.each([
    [-5, "0s"],
    [119_999, "119s"],
    [120_000, "2m"],
    [7_199_000, "119m"],
    [7_200_000, "2h"],
    [11_100_000, "3h5m"],
    [172_799_000, "47h59m"],
    [172_800_000, "2d"],
  ])("formats %i ms as %s", (milliseconds, text) => {
    expect(formatAge(milliseconds)).toBe(text);
  });
});
