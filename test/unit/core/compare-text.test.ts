import { expect, it } from "vitest";
import { compareText } from "../../../src/core/compare-text.ts";

it.each([
  ["a", "b", -1],
  ["b", "a", 1],
  ["a", "a", 0],
  ["", "a", -1],
  ["a", "ab", -1],
  ["B", "a", -1],
  ["z", "é", -1],
  // By code points it would come first.
  ["\uffff", "\u{10000}", 1],
])("compares %j with %j: %i", (one, other, order) => {
  expect(compareText(one, other)).toBe(order);
});
