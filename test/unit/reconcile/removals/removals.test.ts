import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { History, Step } from "./removal-world.ts";
import { limit, names, playRemovals } from "./removal-world.ts";

const dayMs = 24 * 3_600_000;

/** 10,000 sequences with `ROLLCALL_REMOVAL_SEQUENCES=10000`. */
const sequences = Number(process.env["ROLLCALL_REMOVAL_SEQUENCES"] ?? 200);
const seed = Number(process.env["ROLLCALL_REMOVAL_SEED"] ?? 1);

const some = fc.subarray(names, { maxLength: 5 });
const count = fc.integer({ min: 0, max: 6 });
const fault = fc.record({
  at: fc.integer({ min: 1, max: 6 }),
  kind: fc.constantFrom("kill-before", "kill-after", "refused", "lost"),
  isStatus: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("commit"),
      add: some,
      remove: some,
      break: fc.subarray(names, { maxLength: 1 }),
      stray: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
      trailer: fc.option(count, { nil: undefined, freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revert"), back: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("approve"), back: fc.integer({ min: 0, max: 3 }), count }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pass"), hours: fc.constantFrom(1, 7, 23, 24, 25) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("finish") }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("run"), fault: fc.option(fault, { nil: undefined }) }) },
);

/** The first commit of those up to `head` that have not declared the cluster ever since; undefined: the head declares it. */
function removedBy(name: string, { trees }: History, head: number): number | undefined {
  let first: number | undefined;
  for (let index = head; index >= 0 && trees[index]?.has(name) === false; index--) first = index;
  return first;
}

/** How many of the removals approvals explain at most: each approval as often as it counts, in or after the commit that removes. */
function explained(removals: History["removals"], history: History): number {
  const slots = history.approvals.flatMap(({ commit, count: most }) => Array.from({ length: most }, () => commit));
  const taken = new Map<number, number>();
  const place = (removal: number, seen: Set<number>): boolean => {
    const { name, head } = removals[removal] ?? { name: "", head: 0 };
    const cause = removedBy(name, history, head) ?? Infinity;
    return slots.some((commit, slot) => {
      if (seen.has(slot) || commit < cause || commit > head) return false;
      seen.add(slot);
      const other = taken.get(slot);
      if (other !== undefined && !place(other, seen)) return false;
      taken.set(slot, removal);
      return true;
    });
  };
  return removals.filter((_, index) => place(index, new Set())).length;
}

function violations(history: History): string[] {
  const { removals } = history;
  const found = removals
    .filter(({ name, head }) => removedBy(name, history, head) === undefined)
    .map(({ name, head }) => `${name} is removed though commit ${head} declares it`);
  for (const { atMs: startMs } of removals) {
    const ofDay = removals.filter(({ atMs }) => atMs >= startMs && atMs - startMs < dayMs);
    const rest = ofDay.length - explained(ofDay, history);
    if (rest > limit)
      found.push(`${rest} removals within a day after ${startMs} have no approval; the budget is ${limit}`);
  }
  const days = new Set(removals.map(({ atMs }) => Math.floor((atMs - (removals[0]?.atMs ?? 0)) / dayMs))).size;
  const rest = removals.length - explained(removals, history);
  if (rest > limit * days) found.push(`${rest} removals on ${days} days have no approval; the budget is ${limit}`);
  return found;
}

describe("A59 F26 removals", () => {
  it(
    `are at most what the budget and unspent approvals allow, whatever fails in between (${sequences} sequences)`,
    { timeout: 600_000 },
    async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
        const { history, left, wanted } = await playRemovals(steps);
        expect(violations(history)).toEqual([]);
        if (wanted <= limit) expect({ left, wanted }).toEqual({ left: 0, wanted });
      });
      const report = await fc.check(property, { numRuns: sequences, seed });
      const lines = (report.counterexample?.[0] ?? []).map((one) => JSON.stringify(one));
      expect(report.failed ? `${lines.join("\n")}\n${String(report.errorInstance)}` : "").toBe("");
    },
  );
});
