import { describe, expect, it } from "vitest";
import type { Step } from "./removal-world.ts";
import { createRemovalWorld } from "./removal-world.ts";

type Change = Extract<Step, { do: "commit" }>["change"];

const nothing = { add: [], remove: [], rename: [], break: [], garble: [], changeProtocol: [] };

function commit(change: Partial<Change>): Step {
  return { do: "commit", change: { ...nothing, hasStray: false, hasRule: true, ...change } };
}

const run: Step = { do: "run" };
const statusRefused: Step = { do: "run", fault: { at: 1, kind: "refused", isStatus: true } };
const killedAtStatus: Step = { do: "run", fault: { at: 1, kind: "kill-before", isStatus: true } };

// The budget of this world is two removals in 24 hours.
describe("A59 F26 a branch that is moved back", () => {
  it.each([
    { reason: "the status write fails", second: statusRefused },
    { reason: "the process is killed at the status write", second: killedAtStatus },
  ])("takes no approval with it when a run is not recorded: $reason", async ({ second }) => {
    const world = await createRemovalWorld();
    const steps = [commit({ remove: ["a", "b"], trailer: 4 }), run, { do: "finish" }] satisfies Step[];
    for (const step of steps) await world.play(step);
    for (const step of [commit({ add: ["a", "b"] }), second]) await world.play(step);
    await world.play({ do: "force-push", back: 1 });
    await world.play(run);
    expect(world.leaving()).toEqual([]);
    expect(world.status()).toMatchObject({ withheld: { count: 2, reason: "budget" } });
  });

  it("counts what a rule takes from clusters beside the former head", async () => {
    const world = await createRemovalWorld();
    const steps = [commit({}), run, { do: "force-push", back: 1 }, commit({ hasRule: false }), run] satisfies Step[];
    for (const step of steps) await world.play(step);
    expect(world.status()).toMatchObject({ withheld: { count: 3, reason: "budget" } });
  });
});
