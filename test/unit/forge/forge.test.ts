import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { isTooLong } from "../../../src/forge/forge.ts";

describe("isTooLong", () => {
  it.each([
    [true, "an answer that is longer than is read", "E_FORGE_PROTOCOL", { maximumBytes: 1 }],
    [false, "the page of a proxy", "E_FORGE_PROTOCOL", {}],
    [false, "another error with such data", "E_FORGE_SERVER", { maximumBytes: 1 }],
  ] as const)("is %s for %s", (expected, _reason, code, data) => {
    expect(isTooLong(new AppError(code, "list notes of !1", { data }))).toBe(expected);
  });

  it("is false for what is no error of this program", () => {
    expect(isTooLong(new Error("E_FORGE_PROTOCOL"))).toBe(false);
  });
});
