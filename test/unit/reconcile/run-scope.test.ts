import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { isOurs, keptState, openRunScope } from "../../../src/reconcile/run-scope.ts";
import type { RunState } from "../../../src/reconcile/run-scope.ts";
import { creation, outcome, planOfNothing, repository, scopeOf } from "./phase-builders.ts";

describe("openRunScope", () => {
  const state: RunState = {
    snapshot: undefined,
    readFrom: undefined,
    settledPlan: planOfNothing,
    basis: undefined,
    unverified: new AppError("E_UNVERIFIED", "nobody vouches for it"),
    followError: undefined,
    proposeError: undefined,
    fights: new Map(),
    postponed: [],
    lastWrite: { atMs: 5, source: "c1", branch: "status", error: undefined, historyKept: undefined },
  };
  const start = { repository, reason: "report" as const, signal: new AbortController().signal, startedAtMs: 7 };

  it.each([
    ["plans and verifies anew when it follows the branch", true, undefined, undefined],
    ["reports the plan and the refusal of the last run otherwise", false, state.settledPlan, state.unverified],
  ])("%s", (_reason, isFollowing, plan, unverified) => {
    const scope = openRunScope({ ...start, isFollowing }, state);
    expect([scope.plan, scope.settledPlan, scope.unverified]).toEqual([plan, plan, unverified]);
    expect([scope.lastWrite, scope.written, scope.outcomes]).toEqual([state.lastWrite, repository, []]);
  });

  it("leaves the next run what this one found, and no outcomes", () => {
    const scope = scopeOf({ settledPlan: planOfNothing, outcomes: [outcome("a")], lastWrite: state.lastWrite });
    const kept = keptState(scope);
    const found = ["basis", "readFrom", "settledPlan", "snapshot", "unverified"];
    const ofWrites = ["fights", "followError", "lastWrite", "postponed", "proposeError"];
    expect(Object.keys(kept).sort()).toEqual([...found, ...ofWrites].sort());
    expect(openRunScope({ ...start, isFollowing: false }, kept)).toMatchObject({ plan: planOfNothing, outcomes: [] });
  });
});

describe("the basis of the next plan", () => {
  const basis = { plannedAtMs: 1 } as never;
  it.each([
    ["is kept when everything of the plan was carried out", { settledPlan: planOfNothing }, basis],
    ["is forgotten when something was not: the next plan is a whole one", {}, undefined],
    ["is forgotten when something waits", { settledPlan: planOfNothing, postponed: [creation("a")] }, undefined],
  ])("%s", (_reason, fields, expected) => {
    expect(keptState(scopeOf({ ...fields, basis })).basis).toBe(expected);
  });
});

describe("isOurs", () => {
  it.each([
    ["rollcall.fleet", true],
    ["rollcall.other", false],
    ["other.fleet", false],
    [undefined, false],
  ])("label %s: %s", (label, expected) => {
    const labels: Record<string, string> = label === undefined ? {} : { "rollcall.dev/repository": label };
    const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "fleet", labels } };
    expect(isOurs(object, repository)).toBe(expected);
  });
});
