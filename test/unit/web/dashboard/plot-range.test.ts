import { describe, expect, it } from "vitest";
import { plotRange } from "../../../../src/web/dashboard/browser/data/plot-range.ts";

describe("plotRange", () => {
  it.each([
    { what: "no time is the half hour until now", times: [], range: [8200, 10_000] },
    { what: "one time ends half an hour", times: [9000], range: [7200, 9000] },
    { what: "a few minutes are half an hour", times: [9000, 9300], range: [7500, 9300] },
    { what: "a longer time is whole", times: [1000, 9000], range: [1000, 9000] },
  ])("$what", ({ times, range }) => {
    expect(plotRange(times, 10_000)).toEqual(range);
  });
});
