import { describe, expect, it } from "vitest";
import { fullBudget, spendOne } from "../../../src/core/rate-budget.ts";

describe("spendOne", () => {
  const open = () => fullBudget({ burst: 2, ratePerSecond: 0.5 }, 1000);

  it("takes what may happen at once, and then names the time until there is one again", () => {
    const budget = open();
    expect([spendOne(budget, 1000), spendOne(budget, 1000)]).toEqual([0, 0]);
    expect([spendOne(budget, 1000), spendOne(budget, 2000), spendOne(budget, 2999)]).toEqual([2000, 1000, 1]);
    expect([spendOne(budget, 3000), spendOne(budget, 3000)]).toEqual([0, 2000]);
  });

  it("grows to what may happen at once, however long nothing happens", () => {
    const budget = open();
    expect([1, 2, 3].map(() => spendOne(budget, 1_000_000))).toEqual([0, 0, 2000]);
  });
});
