import { describe, expect, it } from "vitest";
import { goDurationFault } from "../../../../src/core/formats/go-duration.ts";

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
