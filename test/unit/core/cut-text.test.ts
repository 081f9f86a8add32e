import { expect, it } from "vitest";
import { cutText, cutWith } from "../../../src/core/cut-text.ts";

it.each([
  ["abc", 3, "abc"],
  ["abc", 2, "ab"],
  ["a😀b", 4, "a😀b"],
  ["a😀b", 3, "a😀"],
  ["a😀b", 2, "a"],
  ["😀", 1, ""],
])("%j has at most %i characters of UTF-16, and no half of a pair: %j", (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut);
  expect(cutWith("...", text, length)).toBe(cut === text ? text : `${cut}...`);
});
