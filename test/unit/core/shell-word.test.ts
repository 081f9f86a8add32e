import { describe, expect, it } from "vitest";
import { shellWord } from "../../../src/core/shell-word.ts";

describe("shellWord", () => {
  it.each([
    ["fleet/eu-1", "fleet/eu-1"],
    ["a@b%c+d=e:f,g.h_i", "a@b%c+d=e:f,g.h_i"],
    ["", "''"],
    ["a b", "'a b'"],
    ["a;b", "'a;b'"],
    ["$(id)", "'$(id)'"],
    ["it's", "'it'\\''s'"],
    ["a\nb", "'a\nb'"],
    ["ä", "'ä'"],
  ])("of %j is %s", (text, word) => {
    expect(shellWord(text)).toBe(word);
  });
});
