/**
 * Tests that repeat something many times. `npm test` runs a part of the repetitions; `npm run test:full`, which CI runs, all of
 * them. test/rules/full-counts.test.ts finds those that are missing here.
 */
export const fullCountFiles: readonly string[] = [
  "test/contract/simulation/simulator.test.ts",
  "test/e2e/kill.test.ts",
  "test/unit/review/plan-by-index.test.ts",
];

/** The full count in the project `full`, otherwise the short one. */
export function countOfRun({ full, short }: { readonly full: number; readonly short: number }): number {
  return process.env["ROLLCALL_FULL_COUNTS"] === "true" ? full : short;
}
