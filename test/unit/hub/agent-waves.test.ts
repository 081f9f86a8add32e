import { describe, expect, it } from "vitest";
import { AgentWaves } from "../../../src/hub/agent-waves.ts";
import type { AgentRollout } from "../../../src/model/generated/agent-rollout.ts";
import type { AgentProgress } from "../../../src/planning/agent-waves.ts";

const keys = ["fleet/a", "fleet/b", "fleet/c"];

function start(rollout: AgentRollout = { maxUnavailable: 1, deadlineSeconds: 60 }, clusters: readonly string[] = keys) {
  const hub = { clusters: [...clusters], visits: 0 };
  const allowed: string[] = [];
  const clock = { nowMs: 0, due: undefined as { readonly atMs: number; readonly then: () => void } | undefined };
  const waves = new AgentWaves({
    rollout: () => ({ ...rollout }),
    nowMs: () => clock.nowMs,
    after: (durationMs, then) => {
      const due = { atMs: clock.nowMs + durationMs, then };
      clock.due = due;
      return () => {
        if (clock.due === due) clock.due = undefined;
      };
    },
    clusterKeys: () => {
      hub.visits += hub.clusters.length;
      return [...hub.clusters];
    },
    isCluster: (key) => {
      hub.visits += 1;
      return hub.clusters.includes(key);
    },
    onAllowed: (key) => {
      if (waves.holdOf(key) === undefined) allowed.push(key);
    },
  });
  return { waves, allowed, clock, hub };
}

function stand(key: string, state: AgentProgress["state"]): AgentProgress {
  return { key, version: "0.2.0", state, isUnresponsive: false };
}

describe("AgentWaves", () => {
  it("lets no agent change before every cluster was reconciled: what is under way is not known yet", () => {
    const { waves, allowed } = start();
    waves.record("fleet/a", stand("fleet/a", "waiting"));
    waves.record("fleet/b", undefined);
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "WaitingForWave" });
    waves.record("fleet/c", stand("fleet/c", "changing"));
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "WaitingForWave" });
    expect(allowed).toEqual([]);
    waves.record("fleet/c", undefined);
    expect(allowed).toEqual(["fleet/a"]);
  });

  it("visits each cluster a few times after a start, however many there are", () => {
    const visitsOf = (count: number): number => {
      const names = Array.from({ length: count }, (_, index) => `fleet/c${index}`);
      const { waves, hub } = start(undefined, names);
      for (const name of names) waves.record(name, undefined);
      for (const name of names.toReversed()) waves.record(name, undefined);
      return hub.visits;
    };
    const [some, twice] = [visitsOf(300), visitsOf(600)];
    expect(some).toBeLessThanOrEqual(1200);
    expect(twice / some).toBeLessThan(2.1);
  });

  it("does not wait for a cluster that was deleted before it was reconciled", () => {
    const { waves, allowed, hub } = start();
    waves.record("fleet/a", stand("fleet/a", "waiting"));
    hub.clusters = ["fleet/a", "fleet/b"];
    waves.record("fleet/b", undefined);
    expect(allowed).toEqual(["fleet/a"]);
  });

  it("waits for a cluster that was created after the others were listed", () => {
    const { waves, allowed, hub } = start();
    waves.record("fleet/a", stand("fleet/a", "waiting"));
    hub.clusters = [...keys, "fleet/d"];
    waves.record("fleet/b", undefined);
    waves.record("fleet/c", undefined);
    expect(allowed).toEqual([]);
    waves.record("fleet/d", undefined);
    expect(allowed).toEqual(["fleet/a"]);
  });

  it("allows more at once as soon as the Repository does, without a change of any agent", () => {
    const rollout: AgentRollout = { maxUnavailable: 1, deadlineSeconds: 60 };
    const { waves, allowed } = start(rollout);
    for (const key of keys) waves.record(key, stand(key, "waiting"));
    expect(allowed).toEqual(["fleet/a"]);
    waves.recordRollout();
    expect(allowed).toEqual(["fleet/a"]);
    rollout.maxUnavailable = 2;
    waves.recordRollout();
    expect(allowed).toEqual(["fleet/a", "fleet/b"]);
  });

  it("keeps what it allowed when another one comes that is first by name: that may be changing in this moment", () => {
    const { waves, allowed } = start({ maxUnavailable: 1 });
    for (const key of keys) waves.record(key, undefined);
    waves.record("fleet/b", stand("fleet/b", "waiting"));
    waves.record("fleet/a", stand("fleet/a", "waiting"));
    expect(allowed).toContain("fleet/b");
    expect(waves.holdOf("fleet/b")).toBeUndefined();
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "WaitingForWave" });
  });

  it("enqueues the next one when one is done, or deleted, and reports why the others wait", () => {
    const { waves, allowed } = start();
    for (const key of keys) waves.record(key, stand(key, "waiting"));
    expect(allowed).toEqual(["fleet/a"]);
    waves.record("fleet/a", stand("fleet/a", "changing"));
    expect(allowed).toEqual(["fleet/a"]);
    waves.record("fleet/a", undefined);
    expect(allowed).toEqual(["fleet/a", "fleet/b"]);
    waves.record("fleet/b", stand("fleet/b", "changing"));
    waves.forget("fleet/b");
    expect(allowed).toEqual(["fleet/a", "fleet/b", "fleet/c"]);
    waves.record("fleet/c", stand("fleet/c", "refused"));
    waves.record("fleet/a", stand("fleet/a", "waiting"));
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "RolloutStopped" });
  });

  it("takes one that became unresponsive while it changed for failed at its deadline, though nothing happens then", () => {
    const { waves, clock } = start();
    const changing = { ...stand("fleet/a", "changing"), offeredAtMs: 0 };
    waves.record("fleet/a", changing);
    waves.record("fleet/b", stand("fleet/b", "waiting"));
    waves.record("fleet/c", undefined);
    expect(clock.due).toBeUndefined();
    waves.record("fleet/a", { ...changing, isUnresponsive: true });
    expect(waves.holdOf("fleet/b")).toMatchObject({ reason: "WaitingForWave" });
    expect(clock.due?.atMs).toBe(60_001);
    clock.nowMs = 60_001;
    clock.due?.then();
    expect(waves.holdOf("fleet/b")).toMatchObject({ reason: "RolloutStopped" });
    waves.record("fleet/a", undefined);
    expect(clock.due).toBeUndefined();
  });
});
