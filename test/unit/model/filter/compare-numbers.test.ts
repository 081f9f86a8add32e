import { expect, it } from "vitest";
import { compareNumbers, parseNumbers } from "../../../../src/model/filter/compare-numbers.ts";

it.each([
  { found: "v1.33.7", wanted: "1.33", sign: 0 },
  { found: "v1.9.1", wanted: "1.33", sign: -1 },
  { found: "v2", wanted: "1.33.1", sign: 1 },
])("compareNumbers gives $sign for $found and $wanted", ({ found, wanted, sign }) => {
  expect(Math.sign(compareNumbers(parseNumbers(found) ?? [], parseNumbers(wanted) ?? []))).toBe(sign);
});

it("parseNumbers reads no number where there is none", () => {
  expect(parseNumbers("latest")).toBeUndefined();
});
