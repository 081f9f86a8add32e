import { describe, expect, it } from "vitest";
import { compilePattern, faultOfPattern, matchesPattern } from "../../../../src/core/formats/patterns.ts";

const tooLarge = "error parsing regexp: expression too large";

describe("patterns", () => {
  it.each([
    ["^[a-z]+$", "abc", true],
    ["^[a-z]+$", "abc1", false],
    ["b", "abc", true],
    ["(", "(", false],
  ])("%j matches %j: %s", (pattern, text, isMatch) => {
    expect(matchesPattern(pattern, text)).toBe(isMatch);
    expect(matchesPattern(pattern, text)).toBe(isMatch);
  });

  it("are compiled once", () => {
    expect(compilePattern("once")).toBe(compilePattern("once"));
    expect(compilePattern("(")).toBeUndefined();
  });

  it("are forgotten when many others were compiled", () => {
    const first = compilePattern("first");
    for (let index = 0; index < 1001; index++) compilePattern(`p${index}`);
    expect(compilePattern("first")).not.toBe(first);
  });

  it.each([
    ["a".repeat(20_000), undefined],
    ["a".repeat(20_001), tooLarge],
    [`(?i)${"ä".repeat(16)}`, undefined],
    [`(?i)${"ä".repeat(17)}`, tooLarge],
    [`(?:${"a".repeat(99)}){990}`, tooLarge],
  ])("have bounds of what compiling them may take", (pattern, fault) => {
    expect(faultOfPattern(pattern)).toBe(fault);
    expect(compilePattern(pattern) === undefined).toBe(fault !== undefined);
  });

  it("are refused with what Go reports", () => {
    expect(faultOfPattern("a(")).toBe("error parsing regexp: missing closing ): `a(`");
  });
});
