import { describe, expect, it } from "vitest";
import { indexNearNames } from "../../../src/core/near-names.ts";

describe("indexNearNames", () => {
  it.each([
    ["eu-1", ["us-1", "eu-1"], "eu-1"],
    ["eu-1", ["eu-2", "eu-3"], "eu-2"], // the first of two that differ as much
    ["eu1", ["eu-1"], "eu-1"], // one is missing
    ["eu--1", ["eu-1"], "eu-1"], // one is too many
    ["ue-1", ["eu-1"], "eu-1"], // two are swapped
    ["ue-2", ["eu-1"], undefined],
    ["a", ["b"], "b"],
    ["zz", ["eu-1"], undefined],
    ["eu-1", [], undefined],
  ])("of %j among %j is %j", (name, names, near) => {
    expect(indexNearNames(names)(name)).toBe(near);
  });
});
