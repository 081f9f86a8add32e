import { describe, expect, it } from "vitest";
import { quoteWord, readTokens } from "../../../../src/model/filter/read-tokens.ts";

describe("readTokens", () => {
  it("splits words, operators and marks", () => {
    const texts = readTokens('a!=b c in (d,"e f")').map(({ kind, text }) => `${kind} ${text}`);
    expect(texts).toEqual([
      ...["word a", "operator !=", "word b", "word c", "word in"],
      ...["open (", "word d", "comma ,", "string e f", "close )"],
    ]);
  });

  it.each(["plain", "", "a b", 'say "hi"', "back\\slash", "a=b", "(x)"])(
    "reads `%s` as quoteWord writes it",
    (text) => {
      expect(readTokens(quoteWord(text)).map((token) => [token.text, token.isWhole])).toEqual([[text, true]]);
    },
  );
});
