/** What may happen at once, and how fast that grows again. */
export interface Rate {
  readonly burst: number;
  readonly ratePerSecond: number;
}

export interface RateBudget extends Rate {
  left: number;
  filledAtMs: number;
}

export function fullBudget(rate: Rate, nowMs: number): RateBudget {
  return { ...rate, left: rate.burst, filledAtMs: nowMs };
}

/** Takes one from a budget, after it has grown. Returns 0, or the milliseconds until there is one: then none was taken. */
export function spendOne(budget: RateBudget, nowMs: number): number {
  const { burst, ratePerSecond, filledAtMs } = budget;
  budget.left = Math.min(burst, budget.left + ((nowMs - filledAtMs) / 1000) * ratePerSecond);
  budget.filledAtMs = nowMs;
  if (budget.left < 1) return Math.ceil(((1 - budget.left) / ratePerSecond) * 1000);
  budget.left -= 1;
  return 0;
}
