import { describe, expect, it } from "vitest";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { holdForAWhile } from "../../../src/reconcile/execute-plan.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { execute, fightOver, removal, update } from "./executed-plan.ts";
import { creation, repository } from "./phase-builders.ts";

const namesOf = (changes: readonly PlannedChange[]): string[] => changes.map(({ ref }) => ref.name);

describe("executePlan", () => {
  it("carries out nothing, and shows nothing, without a plan", async () => {
    const { asked, shown, holds } = await execute({ scope: { plan: undefined } });
    expect([asked, shown, holds]).toEqual([[], [], []]);
  });

  it("shows a plan without changes, and holds no members for it", async () => {
    const { scope, shown, holds } = await execute({});
    expect([shown, holds]).toEqual([[[scope.plan, []]], []]);
  });

  it("writes what is due, reports it to the view as planned, and holds members only meanwhile", async () => {
    const changes = [creation("a"), removal("b")];
    const { scope, asked, known, shown, holds } = await execute({ changes });
    expect(asked).toEqual(["a", "b"]);
    expect(known).toEqual([
      ["written", resourceTypes.cluster, "a", { isPlanned: true }],
      ["deleted", "b", { isPlanned: true }],
    ]);
    expect(scope.outcomes).toEqual(changes.map((change) => ({ change })));
    expect([scope.edited, scope.postponed]).toEqual([[], []]);
    expect(shown).toEqual([[scope.plan, scope.outcomes]]);
    expect(holds).toEqual(["hold", "release"]);
  });

  it("leaves an object that a person edited meanwhile, and carries out the others", async () => {
    const { scope, asked } = await execute({ changes: [update("a"), update("b")], edited: ["a"] });
    expect(asked).toEqual(["b"]);
    expect([namesOf(scope.edited), namesOf(scope.postponed)]).toEqual([["a"], ["a"]]);
  });

  it("leaves an object that a person suspended since the plan was made, and carries out the others", async () => {
    const { scope, asked } = await execute({ changes: [update("a"), update("b")], suspended: ["a"] });
    expect(asked).toEqual(["b"]);
    expect(scope.outcomes.map(({ error }) => error?.code)).toEqual(["E_KUBE_CONFLICT", undefined]);
  });

  it("calls back from its leave a cluster that was suspended: the mark alone is written", async () => {
    const { ref, object, manager } = update("a") as Extract<PlannedChange, { kind: "update" }>;
    const patchAnnotations = { [annotationKeys.leave]: null };
    const change = { kind: "update", ref, object, manager, fields: [], patchAnnotations } as const;
    const { scope, asked } = await execute({ changes: [change], suspended: ["a"] });
    expect([asked, scope.outcomes]).toEqual([["a"], [{ change }]]);
  });

  it.each([
    { what: "is suspended", becomes: { ...repository, spec: { ...repository.spec, suspend: true } } },
    { what: "has other settings", becomes: { ...repository, metadata: { ...repository.metadata, generation: 7 } } },
    { what: "is deleted", becomes: undefined },
  ])("A268 begins no further change once the Repository $what", async ({ becomes }) => {
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const { scope, asked } = await execute({ changes: names.map(update), becomes });
    expect(asked).toEqual(names.slice(0, 4));
    const codes = scope.outcomes.flatMap(({ error }) => error?.code ?? []);
    expect(codes).toEqual(names.slice(4).map(() => "E_KUBE_CONFLICT"));
  });

  it.each([
    { reason: "waits with a field that another writer keeps changing", nowMs: 20_000, asked: [], postponed: ["a"] },
    { reason: "writes it again when the wait is over", nowMs: 31_000, asked: ["a"], postponed: [] },
  ])("$reason", async ({ nowMs, asked: expected, postponed }) => {
    const fights = new Map([fightOver("a", 3)]);
    const { scope, asked } = await execute({ changes: [update("a")], scope: { fights }, nowMs });
    expect([asked, namesOf(scope.postponed), namesOf(scope.edited)]).toEqual([expected, postponed, []]);
  });

  it("writes nothing when the run is stopped, and releases members", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    const holds: string[] = [];
    await expect(execute({ changes: [creation("a")], scope: { signal }, holds })).rejects.toThrow("stopped");
    expect(holds).toEqual(["hold", "release"]);
  });
});

describe("holdForAWhile", () => {
  it.each([
    ["its limit of 30 seconds", undefined, 30_000],
    ["a shorter limit", 10, 10],
  ])("releases members by itself after %s", async (_reason, limitMs, releasedAtMs) => {
    const clock = createManualClock();
    let releases = 0;
    const release = holdForAWhile({ holdMembers: () => () => void (releases += 1), clock }, limitMs);
    await clock.advance(releasedAtMs - 1);
    expect(releases).toBe(0);
    await clock.advance(1);
    expect(releases).toBe(1);
    release();
  });

  it("waits for nothing more once it is released", async () => {
    const clock = createManualClock();
    let releases = 0;
    holdForAWhile({ holdMembers: () => () => void (releases += 1), clock })();
    expect([releases, clock.sleepers]).toEqual([1, 0]);
    await clock.advance(60_000);
    expect(releases).toBe(1);
  });

  it("does nothing where members cannot be held", () => {
    const clock = createManualClock();
    holdForAWhile({ clock })();
    expect(clock.sleepers).toBe(0);
  });
});
