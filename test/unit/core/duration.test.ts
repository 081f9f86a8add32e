import { describe, expect, it } from "vitest";
import { formatAge } from "../../../src/core/duration.ts";

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
