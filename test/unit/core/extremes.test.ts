import { expect, it } from "vitest";
import { largestOf, smallestOf } from "../../../src/core/extremes.ts";

it("takes the largest and the smallest of many numbers, or the bound", () => {
  expect([largestOf([1, 3, 2]), largestOf([1], 5), largestOf([])]).toEqual([3, 5, -Infinity]);
  expect([smallestOf([2, 1, 3]), smallestOf([2], 1), smallestOf([])]).toEqual([1, 1, Infinity]);
});
