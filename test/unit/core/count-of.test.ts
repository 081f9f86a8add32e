import { describe, expect, it } from "vitest";
import { countOf, oneOrMany } from "../../../src/core/count-of.ts";

describe("countOf", () => {
  it.each([
    [0, "cluster", undefined, "0 clusters"],
    [1, "cluster", undefined, "1 cluster"],
    [2, "cluster", undefined, "2 clusters"],
    [1, "policy", "policies", "1 policy"],
    [2, "policy", "policies", "2 policies"],
  ])("of %d %s", (count, noun, plural, text) => {
    expect(countOf(count, noun, plural)).toBe(text);
  });

  it("has a word that agrees with the count", () => {
    expect([0, 1, 2].map((count) => oneOrMany(count, "is", "are"))).toEqual(["are", "is", "are"]);
  });
});
