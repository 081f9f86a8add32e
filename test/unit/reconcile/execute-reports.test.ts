import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { execute, fightOver, path, update } from "./executed-plan.ts";
import { planOfNothing } from "./phase-builders.ts";

describe("what executePlan counts as a revert", () => {
  const known = [fightOver("a", 2), fightOver("unseen", 2), fightOver("bad", 2)];
  const error = new AppError("E_KUBE_FORBIDDEN", "apply");

  it.each([
    ["a write of the same value again", { changes: [update("a")] }, 3],
    ["no write that failed", { changes: [update("bad")], error }, 2],
    ["no write of an object that was not there", { changes: [update("unseen")] }, 2],
  ])("%s", async (_what, given, reverts) => {
    const { scope } = await execute({ ...given, scope: { fights: new Map(known) } });
    const name = given.changes[0]?.ref.name;
    expect(scope.fights.get(`Cluster/fleet/${name} ${path}`)?.reverts).toBe(reverts);
  });

  it.each([
    { reason: "of the commit that is on the hub already", appliedCommit: "c2", reverts: 1, why: "reverted to what" },
    { reason: "of a commit after the one on the hub", appliedCommit: "c1", reverts: 0, why: "declares it" },
    { reason: "of the first commit", appliedCommit: undefined, reverts: 0, why: "declares it" },
  ])("a first write $reason: $reverts", async ({ appliedCommit, reverts, why }) => {
    const { scope, lines } = await execute({ changes: [update("a")], ...(appliedCommit ? { appliedCommit } : {}) });
    expect([...scope.fights.values()].map((fight) => fight.reverts)).toEqual([reverts]);
    expect(lines).toMatchObject([{ message: "change applied", why: expect.stringContaining(why) as string }]);
  });

  it("no first write of a work tree, which has no commit", async () => {
    const plan = { ...planOfNothing, changes: [update("a")] };
    const { scope } = await execute({ scope: { plan } });
    expect([...scope.fights.values()].map((fight) => fight.reverts)).toEqual([0]);
  });
});

describe("what executePlan reports", () => {
  it("logs each change with the author of the commit, and a failed one with its error", async () => {
    const error = new AppError("E_KUBE_FORBIDDEN", "apply");
    const snapshot = { commit: { author: { name: "Ann", email: "ann@example.com" } } } as never;
    const { lines } = await execute({ changes: [update("a"), update("bad")], error, scope: { snapshot } });
    const author = "Ann <ann@example.com>";
    expect(lines).toMatchObject([
      { message: "change applied", object: "Cluster/fleet/a", commit: "c2", author },
      { message: "change failed", object: "Cluster/fleet/bad", error },
    ]);
    expect(lines[0]).not.toHaveProperty("error");
  });

  it.each([
    { reason: "at the third revert", changes: [update("a")], reverts: 2, regarding: ["a"] },
    { reason: "not before", changes: [update("a")], reverts: 1, regarding: [] },
    { reason: "not of another object", changes: [update("b")], reverts: 3, regarding: [] },
  ])("records an Event of a fight: $reason", async ({ changes, reverts, regarding }) => {
    const { events } = await execute({ changes, scope: { fights: new Map([fightOver("a", reverts)]) } });
    expect(events).toMatchObject(
      regarding.map((name) => ({ type: "Warning", reason: "FieldFight", regarding: { metadata: { name } } })),
    );
    expect(events).toHaveLength(regarding.length);
  });
});
