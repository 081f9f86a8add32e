import { describe, expect, it } from "vitest";
import { compareNames } from "../../../src/core/compare-names.ts";
import { compareText } from "../../../src/core/compare-text.ts";

describe("compareNames", () => {
  it("puts c2 before c10, where bytes do not", () => {
    const names = ["fleet/c10", "fleet/c2", "edge/c1", "fleet/c1"];
    expect([...names].sort(compareNames)).toEqual(["edge/c1", "fleet/c1", "fleet/c2", "fleet/c10"]);
    expect([...names].sort(compareText)).toEqual(["edge/c1", "fleet/c1", "fleet/c10", "fleet/c2"]);
  });

  it("is a total order: names that read alike have one order", () => {
    expect(["c02", "c2", "C2"].sort(compareNames)).toEqual(["C2", "c02", "c2"].sort(compareNames));
    expect(compareNames("c02", "c2")).not.toBe(0);
  });
});
