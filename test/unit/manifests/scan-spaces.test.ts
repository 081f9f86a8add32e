import { expect, it } from "vitest";
import { isBlank, isComment, skipSpaces } from "../../../src/manifests/scan-spaces.ts";

it("skips spaces up to the end of a line", () => {
  expect(["  a", "a", "   "].map((text) => skipSpaces(text, 0, 2))).toEqual([2, 0, 2]);
});

it.each([
  { text: "", blank: true },
  { text: "  ", blank: true },
  { text: "  # c", blank: true },
  { text: "# c", blank: false },
  { text: "  c", blank: false },
])("calls what is behind a value blank: $text is $blank", ({ text, blank }) => {
  expect(isBlank(`x${text}`, 1, 1 + text.length)).toBe(blank);
});

it("takes a number sign for a comment behind a space alone", () => {
  expect([isComment(" #", 1), isComment(":#", 1), isComment(" a", 1)]).toEqual([true, false, false]);
});
