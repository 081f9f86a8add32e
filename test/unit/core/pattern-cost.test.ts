import { describe, expect, it } from "vitest";
import { foldedRanges, programSizeOf } from "../../../src/core/pattern-cost.ts";

describe("programSizeOf", () => {
  // Two, one for each part, and one for each group; what is repeated n times counts n + 1 times.
  it.each([
    ["", 2],
    ["abc", 5],
    ["a*b+c?", 5],
    ["a{3}", 6],
    ["a{2,5}", 7],
    ["a{2,}", 5],
    ["a{0}", 3],
    ["a{3}{4}", 22],
    ["(ab){10}", 35],
    ["((a{10}){10}){10}", 1465],
    ["(a|b)", 6],
    ["()", 3],
    ["a)", 4],
    ["(a", 4],
    ["[a-z]{5}", 8],
    ["[^]a]{5}", 8],
    ["[]{5}", 3],
    ["[[:alpha:]]{5}", 8],
    ["[\\]]{5}", 8],
    ["\\d{5}", 8],
    ["\\x{1F600}{5}", 8],
    ["\\Qa{5}b\\E", 7],
    ["\\Qab", 4],
    ["\\({3}", 6],
    ["{3}", 2],
  ])("of %j is %d", (pattern, size) => {
    expect(programSizeOf(pattern)).toBe(size);
  });
});

describe("foldedRanges", () => {
  it.each([
    ["ä\\pL\\x{1F600}", 0],
    ["(?i)abc", 0],
    ["(?i)ä\\pL\\PL\\x{1F600}[ü-ÿ]", 6],
    ["(?si)ä", 1],
    ["(?s)ä", 0],
    ["a(?i:ä)", 1],
  ])("of %j are %d", (pattern, count) => {
    expect(foldedRanges(pattern)).toBe(count);
  });
});
