import { describe, expect, it } from "vitest";
import { goDurationFault, parseGoDuration, readGoDuration } from "../../../../src/core/formats/go-duration.ts";

describe("goDurationFault", () => {
  it.each(["0", "-0", "+5s", "5s", "1h2m3s", "1.5h", ".5s", "1.s", "5ms", "7µs", "2562047h"])(
    "finds no fault in what Go reads: %s",
    (text) => expect(goDurationFault(text)).toBeUndefined(),
  );

  it.each([
    ["", 'time: invalid duration ""'],
    ["-", 'time: invalid duration "-"'],
    ["s", 'time: invalid duration "s"'],
    [".s", 'time: invalid duration ".s"'],
    ["--5s", 'time: invalid duration "--5s"'],
    ["9999999999999h", 'time: invalid duration "9999999999999h"'],
    ["99999999999999999999999s", 'time: invalid duration "99999999999999999999999s"'],
    ["00", 'time: missing unit in duration "00"'],
    ["5s5", 'time: missing unit in duration "5s5"'],
    ["5x", 'time: unknown unit "x" in duration "5x"'],
    ["1h-2m", 'time: unknown unit "h-" in duration "1h-2m"'],
  ])("names the fault as Go does: %j", (text, fault) => {
    expect(goDurationFault(text)).toBe(fault);
  });
});

describe("readGoDuration", () => {
  it.each([
    ["0", 0n],
    ["-0", 0n],
    ["1h2m3s", 3_723_000_000_000n],
    ["+1.5h", 5_400_000_000_000n],
    ["-1.5s", -1_500_000_000n],
    ["1µs", 1000n],
    ["1μs", 1000n],
    ["0.0000000009s", 0n],
    ["1.123456789999999999999s", 1_123_456_789n],
    ["9223372036854775807ns", 9_223_372_036_854_775_807n],
    ["-9223372036854775808ns", -9_223_372_036_854_775_808n],
  ])("has the nanoseconds of %s", (text, nanoseconds) => {
    expect(readGoDuration(text)).toBe(nanoseconds);
  });

  it.each(["9223372036854775808ns", "-9223372036854775809ns", "2562047h47m16.854775808s"])(
    "takes what is longer than 64 bits hold for none: %s",
    (text) => expect(readGoDuration(text)).toBe(`time: invalid duration "${text}"`),
  );
});

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
