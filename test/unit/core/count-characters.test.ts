import { describe, expect, it } from "vitest";
import { countCharacters } from "../../../src/core/count-characters.ts";
import { seededRandom } from "../../support/seeded-random.ts";

describe("countCharacters", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["ä", 1],
    ["😀", 1],
    ["a😀b😀", 4],
    ["\ud800", 1],
    ["\udc00\ud800", 2],
    ["\ud800\ud800\udc00", 2],
  ])("of %j is %d", (text, count) => {
    expect(countCharacters(text)).toBe(count);
  });

  it("counts what a list of the characters has", () => {
    const draw = seededRandom(1);
    const codes = [0x61, 0xe4, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff];
    for (let round = 0; round < 500; round += 1) {
      const picked = Array.from({ length: 12 }, () => codes[Math.floor(draw() * codes.length)] ?? 0);
      const text = String.fromCharCode(...picked);
      expect(countCharacters(text)).toBe([...text].length);
    }
  });
});
