import { describe, expect, it } from "vitest";
import { backoffMs } from "../../../src/core/backoff.ts";
import { fixedRandom } from "../../support/manual-clock.ts";

const [least, most] = [fixedRandom(0), fixedRandom(1)];

describe("backoffMs", () => {
  it.each([
    [0, 500],
    [1, 1000],
    [5, 16_000],
    [9, 256_000],
    [10, 300_000],
    [5000, 300_000],
  ])("is between a half and the whole of twice the time before, up to five minutes: attempt %d", (attempt, wholeMs) => {
    expect([backoffMs(attempt, least), backoffMs(attempt, most)]).toEqual([wholeMs / 2, wholeMs]);
  });

  it("has the times that its caller names, in whole milliseconds", () => {
    const options = { initialMs: 101, maximumMs: 1000, factor: 3 };
    expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, least, options))).toEqual([51, 152, 455, 500]);
  });
});
