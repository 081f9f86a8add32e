import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("parts of moments and durations", () => {
  it.each([
    "timestamp('2020-01-01T00:00:00+02:00').getHours() == 22",
    "timestamp('2024-02-29T12:34:56.789Z').getDayOfYear() == 59",
    "timestamp('1969-12-31T23:59:59.5Z').getMilliseconds() == 500",
    "timestamp('1969-12-31T23:59:59.9999Z').getMilliseconds() == 999",
    "timestamp('1969-12-31T23:59:59.5Z').getSeconds() == 59",
    "timestamp('2024-03-01T00:30:00Z').getHours('-05:30') == 19",
    "timestamp('2024-03-01T00:30:00Z').getDate('-05:30') == 29",
    "timestamp('2024-03-01T00:30:00Z').getHours('5:30') == 6",
    "timestamp('2024-03-01T00:30:00Z').getHours('05:30') == 6",
    "timestamp('2024-03-01T00:30:00Z').getMinutes('+05:45') == 15",
    "timestamp('2024-03-01T00:30:00Z').getHours('UTC') == 0",
    "timestamp('2024-03-01T00:30:00Z').getHours('') == 0",
    "timestamp('2024-03-01T00:30:00Z').getHours('Asia/Kolkata') == 6",
    "timestamp('2024-07-01T00:30:00Z').getHours('America/New_York') == 20",
    "timestamp('2024-07-01T00:30:00Z').getHours('America/St_Johns') == 22",
    "timestamp('2024-07-01T00:30:00Z').getHours('Europe/London') == 1",
    "timestamp('2024-03-01T00:30:00Z').getHours('+99:00') == 3",
    "timestamp('2024-12-31T23:59:59Z').getDayOfYear() == 365",
    "timestamp('2023-12-31T23:59:59Z').getDayOfWeek() == 0",
    "timestamp('2023-12-31T23:59:59Z').getMonth() == 11",
    "timestamp('0001-01-01T00:00:00Z').getFullYear() == 1",
    "timestamp('0001-01-01T00:00:00Z').getDayOfYear() == 0",
    "timestamp('0050-01-02T00:00:00Z').getDayOfYear() == 1",
    "timestamp('9999-12-31T23:59:59Z').getFullYear('+01:00') == 10000",
    "duration('-1h30m').getHours() == -1",
    "duration('-1h30m').getMinutes() == -90",
    "duration('1.5s').getSeconds() == 1",
    "duration('1.5s').getMilliseconds() == 1500",
    "duration('1h').getMilliseconds() == 3600000",
    "duration('90s').getMinutes() == 1",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "timestamp('2020-01-01T00:00:00+02:00').getHours() == 0",
    "timestamp('2024-03-01T00:30:00Z').getHours('+2:0') == 19",
    "timestamp('2024-03-01T00:30:00Z').getHours('123:00') == 19",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["timestamp('2024-03-01T00:30:00Z').getHours('5') == 3", "unknown time zone 5"],
    ["timestamp('2024-03-01T00:30:00Z').getHours('utc') == 0", "unknown time zone utc"],
    ["timestamp('2024-03-01T00:30:00Z').getHours('america/new_york') == 19", "unknown time zone america/new_york"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
