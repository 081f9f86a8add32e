import { describe, expect, it } from "vitest";
import { formatMicroTime, formatTime, parseTime } from "../../../../src/core/formats/rfc3339.ts";

const plain = "2006-01-02T15:04:05Z07:00";
const micro = "2006-01-02T15:04:05.000000Z07:00";

/** What Go's time.Parse answers (1.26): seconds, nanoseconds and the offset of the zone. */
describe("parseTime", () => {
  it.each([
    ["2024-02-29T01:02:03Z", 1_709_168_523, 0, 0],
    ["2024-02-29T1:02:03Z", 1_709_168_523, 0, 0],
    ["2024-01-01T23:59:59Z", 1_704_153_599, 0, 0],
    ["2024-12-31T00:00:00Z", 1_735_603_200, 0, 0],
    ["2024-01-01T00:00:00+24:00", 1_703_980_800, 0, 86_400],
    ["2024-01-01T00:00:00+24:60", 1_703_977_200, 0, 90_000],
    ["2024-01-01T00:00:00-01:30", 1_704_072_600, 0, -5400],
    ["2024-01-01T00:00:00+00:00", 1_704_067_200, 0, 0],
    ["2024-01-01T00:00:00,5Z", 1_704_067_200, 500_000_000, 0],
    ["2024-01-01T00:00:00.1234567899Z", 1_704_067_200, 123_456_789, 0],
    ["0000-02-29T00:00:00Z", -62_162_121_600, 0, 0],
    ["0001-01-01T00:00:00Z", -62_135_596_800, 0, 0],
  ])("reads what Go reads: %s", (text, seconds, nanos, offset) => {
    expect(parseTime(text)).toStrictEqual({ seconds, nanos, ...(offset === 0 ? {} : { offset }) });
  });

  it.each([
    ["2024-00-01T00:00:00Z", "month"],
    ["2024-13-45T99:00:00Z", "month"],
    ["2024-02-30T24:00:00Z", "hour"],
    ["2024-02-30T23:60:00Z", "minute"],
    ["2024-02-30T23:00:60Z", "second"],
    ["2024-02-30T23:00:00Z", "day"],
    ["2023-02-29T23:00:00Z", "day"],
    ["2024-01-00T00:00:00Z", "day"],
    ["2024-02-30T00:00:00+25:61", "time zone offset hour"],
    ["2024-02-30T00:00:00+00:61", "time zone offset minute"],
  ])("names what is out of range as Go does: %s has a wrong %s", (text, what) => {
    expect(parseTime(text)).toEqual({ error: `parsing time "${text}": ${what} out of range` });
  });

  it.each([
    ["", "", "2006"],
    ["20240101", "0101", "-"],
    ["99999-01-01T00:00:00Z", "9-01-01T00:00:00Z", "-"],
    ["2024-1-01T00:00:00Z", "1-01T00:00:00Z", "01"],
    ["2024-01", "", "-"],
    ["2024-01-1T00:00:00Z", "1T00:00:00Z", "02"],
    ["2024-01-01", "", "T"],
    ["2024-01-01t00:00:00Z", "t00:00:00Z", "T"],
    ["2024-01-01T", "", "15"],
    ["2024-01-01T2", "", ":"],
    ["2024-01-01T00:0:00Z", "0:00Z", "04"],
    ["2024-01-01T00:00", "", ":"],
    ["2024-01-01T00:00:0Z", "0Z", "05"],
    ["2024-01-01T00:00:00", "", "Z07:00"],
    ["2024-01-01T00:00:00z", "z", "Z07:00"],
    ["2024-01-01T00:00:00.Z", ".Z", "Z07:00"],
    ["2024-01-01T00:00:00.5 Z", " Z", "Z07:00"],
    ["2024-01-01T00:00:00+0100", "+0100", "Z07:00"],
    ["2024-01-01T00:00:00+1:00", "+1:00", "Z07:00"],
  ])("names the part that Go misses: %j", (text, rest, part) => {
    const error = `parsing time "${text}" as "${plain}": cannot parse "${rest}" as "${part}"`;
    expect(parseTime(text)).toEqual({ error });
  });

  it("names what is behind the end", () => {
    expect(parseTime("2024-01-01T00:00:00ZZ")).toEqual({
      error: 'parsing time "2024-01-01T00:00:00ZZ": extra text: "Z"',
    });
  });
});

describe("parseTime of microseconds", () => {
  it.each([
    ["2024-01-01T00:00:00.123456Z", { seconds: 1_704_067_200, nanos: 123_456_000 }],
    ["2024-01-01T00:00:00,123456Z", { seconds: 1_704_067_200, nanos: 123_456_000 }],
    ["2024-01-01T00:00:00.123456+24:01", { seconds: 1_703_980_740, nanos: 123_456_000, offset: 86_460 }],
  ])("reads what Go reads: %s", (text, moment) => {
    expect(parseTime(text, true)).toStrictEqual(moment);
  });

  it.each([
    ["2024-01-01T1:00:00Z", "Z", ".000000"],
    ["2024-01-01T00:00:00.12345Z", ".12345Z", ".000000"],
    ["2024-01-01T00:00:00.1234567Z", "7Z", "Z07:00"],
    ["2024-01-01T00:00:0", "0", "05"],
    ["2024-01-01", "", "T"],
  ])("names the part that Go misses: %s", (text, rest, part) => {
    const error = `parsing time "${text}" as "${micro}": cannot parse "${rest}" as "${part}"`;
    expect(parseTime(text, true)).toEqual({ error });
  });
});

describe("a moment", () => {
  it.each([
    [{ seconds: 1_709_168_523, nanos: 999_999_999 }, "2024-02-29T01:02:03Z", "2024-02-29T01:02:03.999999Z"],
    [{ seconds: -62_135_596_800, nanos: 1_999 }, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000001Z"],
  ])("is written in UTC, what is finer is cut: %j", (moment, time, microTime) => {
    expect([formatTime(moment), formatMicroTime(moment)]).toEqual([time, microTime]);
  });
});
