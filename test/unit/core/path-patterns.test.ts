import { describe, expect, it } from "vitest";
import { compilePathPatterns, compilePaths } from "../../../src/core/path-patterns.ts";

describe("compilePathPatterns", () => {
  // Expected values were taken from `git check-ignore --no-index`.
  it.each([
    { lines: ["*.md"], path: "a/b.md", matches: true, reason: "a pattern without slash fits at every depth" },
    { lines: ["/*.md"], path: "a/b.md", matches: false, reason: "a slash in front ties it to the top" },
    { lines: ["docs/*.md"], path: "x/docs/a.md", matches: false, reason: "a slash inside ties it to the top" },
    { lines: ["docs/"], path: "docs/a/b.yaml", matches: true, reason: "a folder takes what is below it" },
    { lines: ["docs/"], path: "docs", matches: false, reason: "a slash at the end means folders only" },
    { lines: ["docs"], path: "a/docs/b.yaml", matches: true, reason: "a name may be that of a folder" },
    { lines: ["docs/**"], path: "docs", matches: false, reason: "the folder itself is not inside it" },
    { lines: ["docs/**"], path: "docs/a/b", matches: true, reason: "everything inside" },
    { lines: ["**/test"], path: "a/b/test", matches: true, reason: "at every depth" },
    { lines: ["a/**/b"], path: "a/b", matches: true, reason: "no folder between" },
    { lines: ["a/**/b"], path: "a/x/y/b", matches: true, reason: "two folders between" },
    { lines: ["a*b"], path: "a/b", matches: false, reason: "a star does not pass a slash" },
    { lines: ["*.yaml", "!keep.yaml"], path: "keep.yaml", matches: false, reason: "the last line wins" },
    { lines: ["!keep.yaml", "*.yaml"], path: "keep.yaml", matches: true, reason: "the last line wins" },
    { lines: ["a/", "!a/keep"], path: "a/keep", matches: true, reason: "no way back out of a folder" },
    { lines: ["# a"], path: "# a", matches: false, reason: "a comment" },
    { lines: ["\\# a"], path: "# a", matches: true, reason: "an escaped number sign" },
    { lines: ["\\!a"], path: "!a", matches: true, reason: "an escaped exclamation mark" },
    { lines: ["a  "], path: "a", matches: true, reason: "spaces at the end do not count" },
    { lines: ["a\\ "], path: "a ", matches: true, reason: "an escaped space counts" },
    { lines: ["a\r"], path: "a", matches: true, reason: "a file with CRLF" },
    { lines: ["[a-c]x"], path: "bx", matches: true, reason: "a range" },
    { lines: ["[!a-c]x"], path: "bx", matches: false, reason: "a negated range" },
    { lines: ["[]]x"], path: "]x", matches: true, reason: "a bracket first in brackets" },
    { lines: ["[a"], path: "[a", matches: false, reason: "an open bracket fits nothing" },
    { lines: ["a?c"], path: "aßc", matches: true, reason: "one character, whatever its size" },
    { lines: [], path: "a", matches: false, reason: "no patterns" },
  ])("$lines on $path: $matches ($reason)", ({ lines, path, matches }) => {
    expect(compilePathPatterns(lines).matches(path)).toBe(matches);
  });

  // As git 2 answers to them, one after the other.
  it.each<[lines: string[], path: string, isMatched: boolean]>([
    [["[^a-c]x"], "bx", false],
    [["[^a-c]x"], "dx", true],
    [["[!a]x"], "ax", false],
    [["[!a]x"], "!x", true],
    [["[ac-e]x"], "dx", true],
    [["[ac-e]x"], "ax", true],
    [["[ac-e]x"], "bx", false],
    [["[a-c]x"], "ax", true],
    [["[a-c]x"], "cx", true],
    [["[a-c]x"], "dx", false],
    [["[a-c]x"], "`x", false],
    [["[a-]x"], "-x", true],
    [["[a-]x"], "bx", false],
    [["[-a]x"], "-x", true],
    [["[\\]]x"], "]x", true],
    [["[\\a-\\c]x"], "bx", true],
    [["[\\a-\\c]x"], "\\x", false],
    [["[a-\\c]x"], "cx", true],
    [["[a-\\c]x"], "dx", false],
    [["a[]b"], "ab", false],
    [["a[b"], "a[b", false],
    [["[]a]x"], "]x", true],
    [["[]-a]x"], "_x", true],
    [["[!]a]x"], "bx", true],
    [["[!]a]x"], "]x", false],
    [["[a-cx]y"], "xy", true],
    [["a\\"], "a", false],
    [["a\\"], "a\\", false],
    [["a\\b"], "ab", true],
    [["a\\*b"], "a*b", true],
    [["a\\*b"], "axb", false],
    [["a**b"], "axyb", true],
    [["a**b"], "ax/yb", false],
    [["**"], "a/b", true],
    [["**"], "a", true],
    [["a/**"], "a/b/c", true],
    [["a/**"], "a", false],
    [["a/**/**/b"], "a/x/b", true],
    [["x**"], "xa", true],
    [["**x"], "ax", true],
    [["*/b"], "a/b", true],
    [["*/b"], "x/a/b", false],
    [["*a*"], "bab", true],
    [["*a*"], "bb", false],
    [["*ab*"], "aab", true],
    [["a*"], "a", true],
    [["a?"], "a", false],
    [["a*b*c"], "abbc", true],
    [["a*b*c"], "axbxcx", false],
    [["!a"], "a", false],
    [["a", "!"], "a", true],
    [["a", "!/"], "a", true],
    [["/"], "a", false],
    [["//a"], "a", false],
    [["a//b"], "a/b", false],
    [["a "], "a", true],
    [["a \\ "], "a  ", true],
    [["a\\\\ "], "a\\", true],
    [["a\\ "], "a", false],
    [["a\\  "], "a ", true],
    [["\\ "], " ", true],
    [["  a"], "  a", true],
    [["  "], "a", false],
    [["a\r"], "a", true],
    [["a/ "], "a/b", true],
    [["*.d/", "!x"], "a.d/x", true],
    [["a/b/", "!a/b"], "a/b/c", false],
    [["#a"], "#a", false],
    [["a#"], "a#", true],
    [["/a/"], "a/b", true],
    [["/a/"], "x/a/b", false],
    [["a/*", "!a/b"], "a/b", false],
    [["a/*", "!a/b"], "a/c", true],
    [["a", "!a", "a"], "a", true],
    [["A"], "a", false],
    [["a.b"], "axb", false],
    [["é"], "é", true],
    [["ab", "!a*"], "ab", false],
    [["a*", "!ab/"], "ab", true],
  ])("%j on %s: %s", (lines, path, isMatched) => {
    expect(compilePathPatterns(lines).matches(path)).toBe(isMatched);
  });

  it("A13 answers at once for a pattern made to take for ever", () => {
    const patterns = compilePathPatterns([`${"*a".repeat(300)}b`, `${"**/a/".repeat(300)}b`]);
    expect(patterns.matches("a".repeat(3000))).toBe(false);
    expect(patterns.matches(`${"a/".repeat(1000)}c`)).toBe(false);
  });

  it("A253 compares a name, and not each part of its path, with a pattern that has no slash", () => {
    const stepsOf = (depth: number): number => {
      const patterns = compilePathPatterns(["x", "?", "!y"]);
      expect(patterns.matches(`${"aa/".repeat(depth)}cc`)).toBe(false);
      return patterns.steps;
    };
    expect(stepsOf(400)).toBeLessThan(2.1 * stepsOf(200));
    expect(compilePathPatterns(["a"]).matches("x/a/b/c")).toBe(true);
    expect(compilePathPatterns(["**"]).matches("x/a")).toBe(true);
  });
});

describe("compilePaths", () => {
  const all = ["a.yaml", "clusters/b.yaml", "x/clusters/c.yaml", ".github/d.yaml"];
  it.each([
    [["."], all],
    [["./"], all],
    [["/"], all],
    [[""], all],
    [["./clusters"], ["clusters/b.yaml"]],
    [["clusters"], ["clusters/b.yaml", "x/clusters/c.yaml"]],
    [[".github"], [".github/d.yaml"]],
    [
      ["./x/", "/a.yaml"],
      ["a.yaml", "x/clusters/c.yaml"],
    ],
    [[], []],
  ])("of %j match %j", (paths, matched) => {
    const patterns = compilePaths(paths);
    expect(all.filter((path) => patterns.matches(path))).toEqual(matched);
  });

  it("decide on a path by the last line that fits, and count what that took", () => {
    const patterns = compilePathPatterns(["*.yaml", "!a.yaml", "docs/"]);
    const decided = [
      patterns.decide("b.yaml", false),
      patterns.decide("a.yaml", false),
      patterns.decide("c.md", false),
    ];
    expect(decided).toEqual([true, false, undefined]);
    expect([patterns.decide("docs", true), patterns.decide("docs", false)]).toEqual([true, undefined]);
    const before = patterns.steps;
    expect(before).toBeGreaterThan(0);
    expect(patterns.matches("x/y/b.md")).toBe(false);
    expect(patterns.steps).toBeGreaterThan(before);
  });
});
