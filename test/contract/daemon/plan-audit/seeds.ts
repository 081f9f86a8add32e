/** More fleets: PLAN_FLEETS=30; single ones: PLAN_SEEDS=7,8. Default: the first few. */
export function seedsOfPlans(fewest: number): readonly number[] {
  const named = process.env["PLAN_SEEDS"];
  if (named !== undefined) return named.split(",").map(Number);
  const count = Number(process.env["PLAN_FLEETS"] ?? String(fewest));
  return Array.from({ length: count }, (_value, index) => index + 1);
}
