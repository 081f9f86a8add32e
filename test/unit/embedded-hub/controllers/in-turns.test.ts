import { expect, it } from "vitest";
import { eachInTurns } from "../../../../src/embedded-hub/controllers/in-turns.ts";
import { countingTurns, turnsDuring } from "../../../support/turns-during.ts";

const items = Array.from({ length: 1000 }, (_, index) => index);

it("A245 work on many objects lets others have their turn", async () => {
  const { turns, outcome } = await turnsDuring(() => eachInTurns(countingTurns(), items, () => Promise.resolve()));
  expect(turns).toBeGreaterThan(50);
  expect(outcome).toEqual([]);
});

it("work on all objects is done when some of it fails, and the failures are returned", async () => {
  const done: number[] = [];
  const failures = await eachInTurns(countingTurns(), items, async (item) => {
    await Promise.resolve();
    if (item % 400 === 0) throw new Error(`${item}`);
    done.push(item);
  });
  expect(failures.map(String)).toEqual(["Error: 0", "Error: 400", "Error: 800"]);
  expect(done).toHaveLength(997);
});
