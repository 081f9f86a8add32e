import fc from "fast-check";
import { expect, it } from "vitest";
import { compareText } from "../../../../src/embedded-hub/schema/compare-text.ts";

it.each([
  ["", "", 0],
  ["a", "a", 0],
  ["", "a", -1],
  ["a", "ab", -1],
  ["ab", "a", 1],
  ["B", "a", -1],
  ["z", "é", -1],
  // U+1F600 comes after U+FFFD, and its first half before.
  ["\u{fffd}", "\u{1f600}", -1],
  ["\u{1f600}", "\u{ffff}", 1],
  ["\u{d7ff}", "\u{1f600}", -1],
  ["\u{e000}", "\u{10ffff}", -1],
  ["\u{10ffff}", "\u{e000}", 1],
  ["\u{10000}", "\u{10ffff}", -1],
])("%j against %j is %d", (left, right, sign) => {
  expect(Math.sign(compareText(left, right))).toBe(sign);
});

it("is the order of UTF-8 bytes", () => {
  const character = fc.constantFrom(
    "a",
    "é",
    "\u{d7ff}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10000}",
    "\u{1f600}",
    "\u{10ffff}",
  );
  const texts = fc.array(character, { maxLength: 4 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, texts, (left, right) => {
      expect(Math.sign(compareText(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
    }),
    { numRuns: 200 },
  );
});
