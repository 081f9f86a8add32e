import { expect, it } from "vitest";
import { tenthsOf } from "../../../src/core/long-work.ts";

function reportsOf(total: number): number[] {
  const reports: number[] = [];
  const pass = tenthsOf(total, (done) => reports.push(done));
  for (let done = 0; done < total; done++) pass(done);
  return reports;
}

it.each([
  [999, []],
  [1000, [100, 200, 300, 400, 500, 600, 700, 800, 900]],
  [1005, [101, 202, 303, 404, 505, 606, 707, 808, 909]],
])("work of %d parts has reports before the parts %j", (total, reports) => {
  expect(reportsOf(total)).toEqual(reports);
});
