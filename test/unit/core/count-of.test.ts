import { describe, expect, it } from "vitest";
import { countOf, nameSome, oneOrMany } from "../../../src/core/count-of.ts";

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

describe("nameSome", () => {
  it.each([
    [[], ""],
    [["a"], "a"],
    [["a", "b"], "a, b"],
    [["a", "b", "c"], "a, b and 1 more"],
    [["a", "b", "c", "d"], "a, b and 2 more"],
  ])("of %j, two at most", (names, text) => {
    expect(nameSome(names, 2)).toBe(text);
  });

  it("shows each name as it is asked to", () => {
    expect(nameSome(["a", "b", "c"], 2, (name) => name.toUpperCase())).toBe("A, B and 1 more");
  });
});
