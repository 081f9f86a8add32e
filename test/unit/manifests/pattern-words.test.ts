import { expect, it } from "vitest";
import { wordsOfPattern } from "../../../src/manifests/pattern-words.ts";

it("describes what a pattern of the schemas means", () => {
  expect(wordsOfPattern("^[0-9]+%?$")).toBe("a number or a percentage");
});

it.each([undefined, 5, null, "x", "toString", "constructor"])(
  "does not describe %s, which is none of them",
  (pattern) => {
    expect(wordsOfPattern(pattern)).toBeUndefined();
  },
);
