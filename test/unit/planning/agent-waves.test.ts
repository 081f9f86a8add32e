import { describe, expect, it } from "vitest";
import type { AgentProgress, WaveInputs } from "../../../src/planning/agent-waves.ts";
import { planWave } from "../../../src/planning/agent-waves.ts";

const nowMs = 10_000_000;

function stand(key: string, state: AgentProgress["state"], changes: Partial<AgentProgress> = {}): AgentProgress {
  return { key: `fleet/${key}`, version: "0.2.0", state, isUnresponsive: false, offeredAtMs: nowMs, ...changes };
}

function wave(agents: readonly AgentProgress[], rollout: WaveInputs["rollout"] = {}, clusterCount = 100) {
  const { allowed, held } = planWave({ agents, rollout, clusterCount, nowMs });
  return {
    allowed: [...allowed],
    held: Object.fromEntries([...held].map(([key, { reason }]) => [key, reason])),
  };
}

const waiting = ["c", "a", "b"].map((name) => stand(name, "waiting"));

describe("planWave", () => {
  it.each([
    { reason: "a number", rollout: { maxUnavailable: 2 }, count: 3, allowed: ["fleet/a", "fleet/b"] },
    { reason: "a percentage", rollout: { maxUnavailable: "2%" }, count: 100, allowed: ["fleet/a", "fleet/b"] },
    { reason: "a tenth, when nothing is declared", rollout: {}, count: 29, allowed: ["fleet/a", "fleet/b"] },
    { reason: "one at least", rollout: {}, count: 3, allowed: ["fleet/a"] },
  ])("lets as many change at once as maxUnavailable allows, by name: $reason", ({ rollout, count, allowed }) => {
    expect(wave(waiting, rollout, count).allowed).toEqual(allowed);
  });

  it("gives a slot to the next one when one is done, and not before", () => {
    const rollout = { maxUnavailable: 2 };
    const changing = [stand("x", "changing"), stand("y", "changing")];
    expect(wave([...changing, ...waiting], rollout)).toMatchObject({
      allowed: [],
      held: { "fleet/a": "WaitingForWave", "fleet/b": "WaitingForWave", "fleet/c": "WaitingForWave" },
    });
    expect(wave([...changing.slice(1), ...waiting], rollout).allowed).toEqual(["fleet/a"]);
  });

  it("stops a version that as many refused as maxFailures allows, and no other version", () => {
    const refused = stand("x", "refused");
    const other = stand("d", "waiting", { version: "0.2.1" });
    expect(wave([refused, ...waiting, other])).toEqual({
      allowed: ["fleet/d"],
      held: { "fleet/a": "RolloutStopped", "fleet/b": "RolloutStopped", "fleet/c": "RolloutStopped" },
    });
    expect(wave([refused, ...waiting], { maxFailures: 2, maxUnavailable: 1 }).allowed).toEqual(["fleet/a"]);
  });

  it("counts one that became unresponsive while it changed as unavailable, and as failed after its deadline", () => {
    const silent = (forMs: number) => stand("x", "changing", { isUnresponsive: true, offeredAtMs: nowMs - forMs });
    const rollout = { maxUnavailable: 1, deadlineSeconds: 60 };
    expect(wave([silent(59_000), ...waiting], rollout).held).toMatchObject({ "fleet/a": "WaitingForWave" });
    expect(wave([silent(61_000), ...waiting], rollout).held).toMatchObject({ "fleet/a": "RolloutStopped" });
    const slow = stand("x", "changing", { offeredAtMs: nowMs - 61_000 });
    expect(wave([slow, ...waiting], rollout).held).toMatchObject({ "fleet/a": "WaitingForWave" });
  });

  it("does not begin with unresponsive agents, and continues with the others", () => {
    const silent = stand("a", "waiting", { isUnresponsive: true });
    expect(wave([silent, stand("b", "waiting")], { maxUnavailable: 1 })).toEqual({
      allowed: ["fleet/b"],
      held: { "fleet/a": "AgentSilent" },
    });
  });

  it("lets those change first that the plan before allowed", () => {
    const inputs = { agents: waiting, rollout: { maxUnavailable: 2 }, clusterCount: 100, nowMs };
    const allowed = (before?: readonly string[]) => [
      ...planWave({ ...inputs, ...(before ? { allowedBefore: new Set(before) } : {}) }).allowed,
    ];
    expect(allowed(["fleet/c"])).toEqual(["fleet/c", "fleet/a"]);
    expect(allowed(["fleet/c", "fleet/b"])).toEqual(["fleet/b", "fleet/c"]);
    expect(allowed()).toEqual(["fleet/a", "fleet/b"]);
  });

  it("changes by itself when the first of the unresponsive ones is late, and never without one", () => {
    const silent = (name: string, forMs: number) =>
      stand(name, "changing", { isUnresponsive: true, offeredAtMs: nowMs - forMs });
    const planOf = (...agents: readonly AgentProgress[]) =>
      planWave({ agents, rollout: { deadlineSeconds: 60 }, clusterCount: 100, nowMs });
    const slow = stand("slow", "changing", { offeredAtMs: nowMs - 59_000 });
    expect(planOf(slow, silent("x", 10_000), silent("y", 20_000)).changesAtMs).toBe(nowMs + 40_001);
    expect(Object.hasOwn(planOf(slow), "changesAtMs")).toBe(false);
    const atTheDeadline = planOf(silent("x", 60_000), stand("a", "waiting"));
    expect([atTheDeadline.changesAtMs, [...atTheDeadline.allowed]]).toEqual([nowMs + 1, ["fleet/a"]]);
  });

  it("counts one that is changing and late as no failure while its agent reports", () => {
    const late = stand("x", "changing", { offeredAtMs: nowMs - 601_000 });
    expect(wave([late, ...waiting], { maxUnavailable: 2 }).allowed).toEqual(["fleet/a"]);
    const waitingSilent = stand("d", "waiting", { isUnresponsive: true, offeredAtMs: nowMs - 601_000 });
    expect(wave([waitingSilent, ...waiting], { maxUnavailable: 1 }).allowed).toEqual(["fleet/a"]);
  });

  it("names three of those that refused a version, by name", () => {
    const refused = ["z", "c", "y", "b"].map((name) => stand(name, "refused"));
    const { held } = planWave({ agents: [...refused, stand("a", "waiting")], rollout: {}, clusterCount: 100, nowMs });
    expect(held.get("fleet/a")?.message).toContain("did not become ready in fleet/b, fleet/c, fleet/y");
  });
});
