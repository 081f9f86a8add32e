import { describe, expect, it } from "vitest";
import { faultOfSchedule } from "../../../../src/embedded-hub/validation/cron-schedule.ts";

describe("a schedule", () => {
  it.each([
    "* * * * *",
    "*/5 1-3 1,15 jan-MAR mon",
    "0 0 31 2 ?",
    "@daily",
    "@every 1h30m",
    "TZ=UTC 0 0 * * *",
    "5/10 * * * *",
  ])("%s is taken", (schedule) => {
    expect(faultOfSchedule(schedule)).toBeUndefined();
  });

  it.each([
    ["", "expected exactly 5 fields, found 0: []"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["@often", "unrecognized descriptor: @often"],
    ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
    ["TZ=No/Where * * * * *", "provided bad location No/Where: unknown time zone No/Where"],
  ])("%s is refused: %s", (schedule, fault) => {
    expect(faultOfSchedule(schedule)).toBe(fault);
  });
});

// The answers of kube-apiserver 1.34.4.
