import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countOfRun } from "../../../support/full-counts.ts";
import { names } from "./fleet-files.ts";
import { findViolations, limit } from "./oracle.ts";
import type { Step } from "./removal-world.ts";
import { playRemovals } from "./removal-world.ts";

/** 10,000 sequences with `ROLLCALL_REMOVAL_SEQUENCES=10000`. */
const sequences = Number(process.env["ROLLCALL_REMOVAL_SEQUENCES"] ?? countOfRun({ full: 200, short: 60 }));
const seed = Number(process.env["ROLLCALL_REMOVAL_SEED"] ?? 1);

const few = (maxLength: number): fc.Arbitrary<string[]> => fc.subarray(names, { maxLength });
const rarely = (maxLength: number): fc.Arbitrary<string[]> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: few(maxLength) });
const oneIn = (count: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 1, max: count }).map((dice) => dice === count);
const count = fc.integer({ min: 0, max: 6 });
const change = fc.record({
  add: few(3),
  remove: few(5),
  rename: rarely(3),
  break: rarely(1),
  garble: rarely(1),
  changeProtocol: rarely(4),
  hasStray: oneIn(8),
  hasRule: oneIn(8).map((isDeleted) => !isDeleted),
  trailer: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom("exact" as const, "short" as const) },
    { weight: 1, arbitrary: count },
  ),
});
const fault = fc.record({
  at: fc.integer({ min: 1, max: 6 }),
  kind: fc.constantFrom("kill-before", "kill-after", "refused", "lost"),
  isStatus: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("commit"), change }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("merge"), back: fc.integer({ min: 0, max: 3 }), change }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revert"), back: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("force-push"), back: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("approve"), back: fc.integer({ min: 0, max: 3 }), count }) },
  // With 23.5 hours, what an hour too early is forgotten shows.
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("pass"), hours: fc.constantFrom(1, 7, 23, 23.5, 23.9, 24, 25) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("finish") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unprotect") }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("run"), fault: fc.option(fault, { nil: undefined }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stale-run") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sync") }) },
);

/** More approvals than Repository.status remembers, between steps of all kinds. */
const withManyApprovals = fc
  .tuple(
    fc.array(step, { minLength: 2, maxLength: 6 }),
    fc.record({
      do: fc.constant("approve-often" as const),
      commits: fc.integer({ min: 95, max: 125 }),
      trailer: count,
    }),
    fc.array(step, { minLength: 2, maxLength: 8 }),
  )
  .map(([before, many, after]): Step[] => [...before, many, ...after]);

describe("A59 F26 removals", () => {
  it.each([
    { reason: "whatever fails in between", steps: fc.array(step, { minLength: 2, maxLength: 16 }), runs: sequences },
    { reason: "with more approvals than are remembered", steps: withManyApprovals, runs: Math.ceil(sequences / 10) },
  ])(
    "are at most what the budget and unspent approvals allow, $reason ($runs sequences)",
    { timeout: 900_000 },
    async ({ steps: sequence, runs }) => {
      const property = fc.asyncProperty(sequence, async (steps) => {
        const { history, left, wanted } = await playRemovals(steps);
        expect(findViolations(history).join("\n")).toBe("");
        if (wanted <= limit) expect({ left, wanted }).toEqual({ left: 0, wanted });
      });
      const report = await fc.check(property, { numRuns: runs, seed });
      const lines = (report.counterexample?.[0] ?? []).map((one) => JSON.stringify(one));
      expect(report.failed ? `${lines.join("\n")}\n${String(report.errorInstance)}` : "").toBe("");
    },
  );
});
