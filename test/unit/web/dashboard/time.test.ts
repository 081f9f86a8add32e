import { afterEach, describe, expect, it } from "vitest";
import {
  formatExactly,
  formatSeconds,
  formatTick,
  formatWhen,
} from "../../../../src/web/dashboard/browser/data/time.ts";

describe("formatWhen", () => {
  const nowMs = Date.parse("2026-03-12T14:05:00Z");
  it.each([
    { time: "2026-03-12T14:04:56Z", text: "just now" },
    { time: "2026-03-12T14:05:01Z", text: "just now" },
    { time: "2026-03-12T14:04:54Z", text: "6s ago" },
    { time: "2026-03-12T14:02:00Z", text: "3m ago" },
    { time: "2026-03-20T14:05:00Z", text: "in 8d" },
    { time: "some day", text: "some day" },
  ])("writes $time as $text", ({ time, text }) => {
    expect(formatWhen(time, nowMs)).toBe(text);
  });
});

describe("formatSeconds", () => {
  it.each([
    { seconds: 4.24, text: "4.2 s" },
    { seconds: 10.4, text: "10 s" },
    { seconds: 119, text: "119 s" },
    { seconds: 180, text: "3m" },
  ])("writes $seconds as $text", ({ seconds, text }) => {
    expect(formatSeconds(seconds)).toBe(text);
  });
});

describe("formatTick", () => {
  const zoneBefore = process.env["TZ"];
  afterEach(() => {
    if (zoneBefore === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zoneBefore;
  });

  it.each(["UTC", "Asia/Tokyo", "America/New_York"])(
    "is the same hour as the exact time of a browser in %s",
    (zone) => {
      process.env["TZ"] = zone;
      const time = "2026-03-12T14:05:00Z";
      expect(formatExactly(time)).toContain(formatTick(Date.parse(time) / 1000));
      expect(formatTick(Date.parse("2026-03-12T00:00:00Z") / 1000)).toBe("12 Mar");
    },
  );
});
