import { expect, it } from "vitest";
import { cutText, cutWith, trimEndOf, trimStartOf } from "../../../src/core/trim-characters.ts";

it.each([
  ["//a/b/.", "./", "//a/b", "a/b/."],
  ["a", "/", "a", "a"],
  ["///", "/", "", ""],
  ["", "/", "", ""],
  ["/a", "", "/a", "/a"],
])("of %j, with %j cut, the end is %j and the start %j", (text, characters, withoutEnd, withoutStart) => {
  expect([trimEndOf(text, characters), trimStartOf(text, characters)]).toEqual([withoutEnd, withoutStart]);
});

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
