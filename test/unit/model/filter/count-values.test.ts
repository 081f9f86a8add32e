import { describe, expect, it } from "vitest";
import { countValues, missingLabels } from "../../../../src/model/filter/count-values.ts";
import { parseFilter } from "../../../../src/model/filter/parse-filter.ts";
import { filterRows } from "./example-rows.ts";

describe("countValues", () => {
  it("counts each value of a label, and each group of a cluster", () => {
    expect(countValues(filterRows, { kind: "label", name: "env" })).toEqual([
      { value: "dev", count: 1 },
      { value: "prod", count: 2 },
    ]);
    expect(countValues(filterRows, { kind: "field", name: "group" }).map(({ value }) => value)).toEqual([
      "europe",
      "old",
    ]);
  });
});

describe("missingLabels", () => {
  it("names a label that no cluster has, and the one that was meant", () => {
    expect(missingLabels(filterRows, parseFilter("eu regoin=eu"))).toEqual([
      { start: 3, end: 12, message: 'No cluster has the label "regoin".', remedy: "Did you mean region?" },
    ]);
    expect(missingLabels(filterRows, parseFilter("region=mars empty!=x"))).toEqual([]);
    expect(missingLabels([], parseFilter("region=eu"))).toEqual([]);
  });
});
