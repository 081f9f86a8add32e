import { describe, expect, it } from "vitest";
import { appendAll } from "../../../src/core/append-all.ts";
import { largestOf, smallestOf } from "../../../src/core/extremes.ts";

const many = Array.from({ length: 1_000_000 }, (_, index) => index);

describe("lists of any length", () => {
  it("A51 are appended without the stack", () => {
    const target = [-1];
    appendAll(target, many);
    expect(target).toHaveLength(1_000_001);
    expect(target.at(-1)).toBe(999_999);
  });

  it("A51 have a largest and a smallest number", () => {
    expect([largestOf(many), smallestOf(many)]).toEqual([999_999, 0]);
    expect([largestOf([], 5), smallestOf([], 5)]).toEqual([5, 5]);
    expect([largestOf([]), smallestOf([])]).toEqual([-Infinity, Infinity]);
  });
});
