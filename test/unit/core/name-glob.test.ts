import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isGlob, matchesGlob } from "../../../src/core/name-glob.ts";

describe("matchesGlob", () => {
  it.each([
    { pattern: "eu-1", name: "eu-1", matches: true, reason: "a name is itself" },
    { pattern: "eu-1", name: "eu-10", matches: false, reason: "the whole name must fit" },
    { pattern: "eu-*", name: "eu-", matches: true, reason: "a star may stand for nothing" },
    { pattern: "eu-*-1", name: "eu-a-1-1", matches: true, reason: "a star takes as much as it must" },
    { pattern: "*", name: "", matches: true, reason: "a star fits nothing at all" },
    { pattern: "eu-?", name: "eu-1", matches: true, reason: "a question mark is one character" },
    { pattern: "eu-?", name: "eu-", matches: false, reason: "a question mark is not none" },
    { pattern: "eu.1", name: "eu-1", matches: false, reason: "a dot is a dot" },
    { pattern: "", name: "a", matches: false, reason: "nothing fits only nothing" },
  ])("$pattern on $name: $matches ($reason)", ({ pattern, name, matches }) => {
    expect(matchesGlob(pattern, name)).toBe(matches);
  });

  it("agrees with the regular expression of the same meaning", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(text, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 10 }), (pattern, name) => {
        const expected = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`, "u").test(name);
        expect(matchesGlob(pattern, name)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("A17 answers at once for a pattern made to take for ever", () => {
    expect(matchesGlob(`${"*a".repeat(5000)}b`, "a".repeat(20_000))).toBe(false);
  });
});

describe("isGlob", () => {
  it("is true only where there is a wildcard", () => {
    expect(["eu-1", "eu-*", "eu-?"].map(isGlob)).toEqual([false, true, true]);
  });
});
