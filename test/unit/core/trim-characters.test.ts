import { expect, it } from "vitest";
import { trimEndOf, trimStartOf } from "../../../src/core/trim-characters.ts";

it.each([
  ["//a/b/.", "./", "//a/b", "a/b/."],
  ["a", "/", "a", "a"],
  ["///", "/", "", ""],
  ["", "/", "", ""],
  ["/a", "", "/a", "/a"],
])("of %j, with %j cut, the end is %j and the start %j", (text, characters, withoutEnd, withoutStart) => {
  expect([trimEndOf(text, characters), trimStartOf(text, characters)]).toEqual([withoutEnd, withoutStart]);
});
