import { describe, expect, it } from "vitest";
import { readRetryAfterMs } from "../../../src/http/retry-after.ts";

const nowMs = Date.UTC(2026, 0, 1);

describe("a retry-after header", () => {
  it.each([
    ["0", 0],
    ["7", 7000],
    ["999999999", 3_600_000],
    [undefined, undefined],
    ["", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["9999999999", undefined],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["Thursday, 01-Jan-26 00:00:30 GMT", 30_000],
    ["Thu Jan  1 00:00:30 2026 GMT", 30_000],
    ["on Thu, 01 Jan 2026 00:00:30 GMT", undefined],
    ["Thu, 01 Jan 2025 00:00:00 GMT", 0],
    ["Thu, 01 Jan 2099 00:00:00 GMT", 3_600_000],
  ])("%s is a wait of %s ms", (header, waitMs) => {
    expect(readRetryAfterMs(header, nowMs)).toBe(waitMs);
  });

  it("with a date is not read without a clock", () => {
    expect(readRetryAfterMs("Thu, 01 Jan 2026 00:00:30 GMT")).toBeUndefined();
  });
});
