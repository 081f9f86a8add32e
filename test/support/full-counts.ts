/**
 * Tests that repeat something many times. `npm test` runs a part of the repetitions; `npm run test:full`, which CI runs, all of
 * them, and the variants that `npm test` leaves out. test/rules/full-counts.test.ts finds those that are missing here.
 */
export const fullCountFiles: readonly string[] = [
  "test/contract/agent/embedded.test.ts",
  "test/contract/daemon/plan-and-run.test.ts",
  "test/contract/embedded-hub/connections.test.ts",
  "test/contract/embedded-hub/load.test.ts",
  "test/contract/git/http-cache.test.ts",
  "test/contract/git/local.test.ts",
  "test/contract/git/reading.test.ts",
  "test/contract/git/signals.test.ts",
  "test/contract/git/squashing.test.ts",
  "test/contract/git/writing.test.ts",
  "test/e2e/up-documents.test.ts",
  "test/e2e/workflows.test.ts",
  "test/unit/core/yaml/compose-yaml.test.ts",
  "test/unit/embedded-hub/cost/list-cost.test.ts",
  "test/unit/embedded-hub/cost/request-cost.test.ts",
  "test/unit/reconcile/removals/removals.test.ts",
  "test/unit/review/plan-by-index.test.ts",
  "test/upgrade/kills.test.ts",
];

/** The full count in the project `full`, otherwise the short one. */
export function countOfRun({ full, short }: { readonly full: number; readonly short: number }): number {
  return isFullRun() ? full : short;
}

/** Of variants of one suite, those that are its own in the project `full`, and the others everywhere else: each runs once in CI. */
export function variantsOfRun<T extends { readonly isInFullRun?: boolean }>(variants: readonly T[]): readonly T[] {
  return variants.filter(({ isInFullRun = false }) => isInFullRun === isFullRun());
}

function isFullRun(): boolean {
  return process.env["ROLLCALL_FULL_COUNTS"] === "true";
}
