import { describe, expect, it } from "vitest";
import {
  compilePattern,
  faultOfPattern,
  matchesPattern,
  PatternBudget,
} from "../../../../src/core/formats/patterns.ts";

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
    [`(?:${"a".repeat(28)}){990}`, undefined],
    [`(?:${"a".repeat(99)}){990}`, tooLarge],
  ])("have bounds of what compiling them may take", (pattern, fault) => {
    expect(faultOfPattern(pattern)).toBe(fault);
    expect(compilePattern(pattern) === undefined).toBe(fault !== undefined);
  });

  it("A259 are forgotten when few large others were compiled: each holds a megabyte and more", () => {
    const first = compilePattern("the first");
    for (let index = 0; index < 11; index++) compilePattern(`[a-z]{0,1000}`.repeat(19) + index);
    expect(compilePattern("the first")).not.toBe(first);
  });

  it("A259 of one definition take no more than a bound together, each of them once", () => {
    const budget = new PatternBudget();
    const large = Array.from({ length: 100 }, (_, index) => `^[a-z]{0,980}${index}$`);
    expect(large.map((pattern) => budget.faultOf(pattern))).toStrictEqual(large.map(() => undefined));
    expect(budget.faultOf("^[a-z]{0,1000}$")).toBeUndefined();
    expect(budget.faultOf(large[0] ?? "")).toBeUndefined();
    for (let index = 0; index < 10; index++) budget.takes(`a{900}${index}`);
    expect(budget.faultOf("b{900}")).toBe(tooLarge);
    expect(new PatternBudget().takes("\\pL".repeat(6000))).toBe(false);
  });

  it("are refused with what Go reports", () => {
    expect(faultOfPattern("a(")).toBe("error parsing regexp: missing closing ): `a(`");
  });
});
