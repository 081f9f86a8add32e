import { describe, expect, it } from "vitest";
import { humanDuration, sinceText } from "../../../src/core/human-duration.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** What apimachinery's HumanDuration prints of the same durations. */
describe("humanDuration", () => {
  it.each([
    [-2, "<invalid>"],
    [-1.5, "0s"],
    [-1, "0s"],
    [0, "0s"],
    [0.9, "0s"],
    [119.9, "119s"],
    [120, "2m"],
    [121, "2m1s"],
    [10 * minute - 1, "9m59s"],
    [10 * minute + 1, "10m"],
    [3 * hour - 1, "179m"],
    [3 * hour, "3h"],
    [4 * hour + minute, "4h1m"],
    [8 * hour - 1, "7h59m"],
    [8 * hour + minute, "8h"],
    [48 * hour - 1, "47h"],
    [48 * hour, "2d"],
    [49 * hour, "2d1h"],
    [8 * day - 1, "7d23h"],
    [8 * day + hour, "8d"],
    [2 * 365 * day - 1, "729d"],
    [2 * 365 * day, "2y"],
    [2 * 365 * day + day, "2y1d"],
    [8 * 365 * day - 1, "7y364d"],
    [8 * 365 * day + day, "8y"],
  ])("of %d s is %s", (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text);
  });
});

describe("sinceText", () => {
  it.each([
    ["2026-03-12T12:00:00Z", "5m"],
    ["not a time", "<unknown>"],
    [undefined, "<unknown>"],
  ])("of %s is %s", (timestamp, text) => {
    expect(sinceText(timestamp, Date.parse("2026-03-12T12:05:00Z"))).toBe(text);
  });
});
