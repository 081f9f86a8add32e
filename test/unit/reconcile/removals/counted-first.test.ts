import { describe, expect, it } from "vitest";
import type { RemovalWorld, Step } from "./removal-world.ts";
import { createRemovalWorld } from "./removal-world.ts";

type Change = Extract<Step, { do: "commit" }>["change"];

const nothing = { add: [], remove: [], rename: [], break: [], garble: [], changeProtocol: [] };

function commit(change: Partial<Change>): Step {
  return { do: "commit", change: { ...nothing, hasStray: false, hasRule: true, ...change } };
}

const run: Step = { do: "run" };
/** Ends the process right after, or before, the write of Repository.status that counts the removals. */
const killedAtCount = (kind: "kill-before" | "kill-after"): Step => ({
  do: "run",
  fault: { at: 1, kind, isStatus: true },
});

async function playAll(steps: readonly Step[]): Promise<RemovalWorld> {
  const world = await createRemovalWorld();
  for (const step of steps) await world.play(step);
  return world;
}

const removingOf = (world: RemovalWorld): number =>
  (world.status().removing?.groups ?? []).reduce((sum, { removals }) => sum + removals.length, 0);

// The budget of this world is two removals in 24 hours.
describe("A59 F26 removals that are counted before they happen", () => {
  it("are counted and pending when the process is killed between the count and the removal", async () => {
    const world = await playAll([commit({ remove: ["a", "b"] }), killedAtCount("kill-after")]);
    expect(world.leaving()).toEqual([]);
    expect(removingOf(world)).toBe(2);
    expect(world.status().deletions).toMatchObject({ count: 2, last: [{ action: "Leave" }, { action: "Leave" }] });
  });

  it("are carried out by the next process, and not counted again", async () => {
    const world = await playAll([commit({ remove: ["a", "b"] }), killedAtCount("kill-after"), run]);
    expect(world.leaving()).toEqual(["a", "b"]);
    expect(removingOf(world)).toBe(0);
    expect(world.status().deletions?.count).toBe(2);
  });

  it("keep their count when the next commit takes them back: the budget is used", async () => {
    const world = await playAll([
      commit({ remove: ["a", "b"] }),
      killedAtCount("kill-after"),
      { do: "revert", back: 1 },
      run,
      commit({ remove: ["c"] }),
      run,
    ]);
    expect(world.leaving()).toEqual([]);
    expect(world.status()).toMatchObject({ deletions: { count: 2 }, withheld: { count: 1, reason: "budget" } });
  });

  it("are neither counted nor carried out when the process is killed before the count", async () => {
    const world = await playAll([commit({ remove: ["a", "b"] }), killedAtCount("kill-before")]);
    expect(world.leaving()).toEqual([]);
    expect(world.status().deletions).toBeUndefined();
    await world.play(run);
    expect(world.leaving()).toEqual(["a", "b"]);
  });

  it("are not carried out when the Repository was changed since the plan was made: it may be suspended now", async () => {
    const world = await playAll([
      commit({ remove: ["a", "b"] }),
      { do: "run", fault: { at: 1, kind: "changed", isStatus: true } },
    ]);
    expect(world.leaving()).toEqual([]);
    await world.play(run);
    expect(world.leaving()).toEqual(["a", "b"]);
  });

  it("count for a whole day, wherever in the hour they happened", async () => {
    const steps = [
      commit({ remove: ["a", "b"] }),
      run,
      { do: "pass" as const, hours: 23.5 },
      commit({ remove: ["c"] }),
    ];
    const world = await playAll([...steps, run]);
    expect(world.leaving()).toEqual(["a", "b"]);
    expect(world.status().withheld).toMatchObject({ count: 1, reason: "budget" });
    await world.play({ do: "pass", hours: 2 });
    await world.play(run);
    expect(world.leaving()).toEqual(["a", "b", "c"]);
  });

  it("stay counted when a process that was paused writes its older status", async () => {
    const world = await playAll([
      { do: "sync" },
      commit({ remove: ["a", "b"] }),
      run,
      commit({}),
      { do: "stale-run" },
      commit({ remove: ["c"] }),
      run,
    ]);
    expect(world.status().deletions?.count).toBe(2);
    expect(world.leaving()).toEqual(["a", "b"]);
  });

  it("spend their approval with the count: after the kill it lets nothing else through", async () => {
    const world = await playAll([
      commit({ remove: ["a", "b", "c"], trailer: 3 }),
      killedAtCount("kill-after"),
      commit({ remove: ["d", "e", "f"] }),
      run,
    ]);
    expect(world.status().approvals).toMatchObject([{ by: "Trailer", count: 3 }]);
    expect(world.leaving()).not.toContain("d");
    expect(world.status().withheld?.count).toBeGreaterThanOrEqual(3);
  });
});

describe("A59 an approval", () => {
  it("covers what its own commit asks for, and nothing that a later commit adds", async () => {
    const world = await playAll([
      commit({ remove: ["a", "b", "c"] }),
      commit({ trailer: 6 }),
      commit({ remove: ["d", "e", "f"] }),
      run,
    ]);
    expect(world.leaving()).toEqual([]);
    expect(world.status().withheld).toMatchObject({ count: 6, approvable: 6 });
  });

  it("covers no removal that was declared again and is removed again", async () => {
    const world = await playAll([
      commit({ remove: ["a", "b", "c"], trailer: 3 }),
      { do: "revert", back: 1 },
      commit({ remove: ["a", "b", "c"] }),
      run,
    ]);
    expect(world.leaving()).toEqual([]);
    expect(world.status().withheld?.count).toBe(3);
  });

  it("of approve-deletions is spent: the same removals of a later commit wait again", async () => {
    const world = await playAll([
      commit({ remove: ["a", "b", "c"] }),
      run,
      { do: "approve", back: 0, count: 3 },
      run,
      { do: "finish" },
      commit({ add: ["a", "b", "c"] }),
      run,
      commit({ remove: ["a", "b", "c"] }),
      run,
    ]);
    expect(world.history.removals.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(world.status().withheld).toMatchObject({ count: 3, reason: "budget" });
  });
});
