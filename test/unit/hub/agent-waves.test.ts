import { describe, expect, it } from "vitest";
import { AgentWaves } from "../../../src/hub/agent-waves.ts";
import type { AgentRollout } from "../../../src/model/generated/agent-rollout.ts";
import type { AgentStand } from "../../../src/planning/agent-waves.ts";

const keys = ["fleet/a", "fleet/b", "fleet/c"];

function start(rollout: AgentRollout = { maxUnavailable: 1, deadlineSeconds: 60 }) {
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
    clusterKeys: () => keys,
    onAllowed: (key) => {
      if (waves.holdOf(key) === undefined) allowed.push(key);
    },
  });
  return { waves, allowed, clock };
}

function stand(key: string, state: AgentStand["state"]): AgentStand {
  return { key, version: "0.2.0", state, isUnresponsive: false };
}

describe("AgentWaves", () => {
  it("lets nobody change before every cluster was looked at: what is under way is not known yet", () => {
    const { waves, allowed } = start();
    waves.note("fleet/a", stand("fleet/a", "waiting"));
    waves.note("fleet/b", undefined);
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "WaitingForWave" });
    waves.note("fleet/c", stand("fleet/c", "changing"));
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "WaitingForWave" });
    expect(allowed).toEqual([]);
    waves.note("fleet/c", undefined);
    expect(allowed).toEqual(["fleet/a"]);
  });

  it("allows more at once as soon as the Repository does, without a change of any agent", () => {
    const rollout: AgentRollout = { maxUnavailable: 1, deadlineSeconds: 60 };
    const { waves, allowed } = start(rollout);
    for (const key of keys) waves.note(key, stand(key, "waiting"));
    expect(allowed).toEqual(["fleet/a"]);
    waves.noteRollout();
    expect(allowed).toEqual(["fleet/a"]);
    rollout.maxUnavailable = 2;
    waves.noteRollout();
    expect(allowed).toEqual(["fleet/a", "fleet/b"]);
  });

  it("keeps what it allowed when another one comes that is first by name: that may be changing in this moment", () => {
    const { waves, allowed } = start({ maxUnavailable: 1 });
    for (const key of keys) waves.note(key, undefined);
    waves.note("fleet/b", stand("fleet/b", "waiting"));
    waves.note("fleet/a", stand("fleet/a", "waiting"));
    expect(allowed).toContain("fleet/b");
    expect(waves.holdOf("fleet/b")).toBeUndefined();
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "WaitingForWave" });
  });

  it("wakes the next one when one is done, or gone, and says why the others wait", () => {
    const { waves, allowed } = start();
    for (const key of keys) waves.note(key, stand(key, "waiting"));
    expect(allowed).toEqual(["fleet/a"]);
    waves.note("fleet/a", stand("fleet/a", "changing"));
    expect(allowed).toEqual(["fleet/a"]);
    waves.note("fleet/a", undefined);
    expect(allowed).toEqual(["fleet/a", "fleet/b"]);
    waves.note("fleet/b", stand("fleet/b", "changing"));
    waves.forget("fleet/b");
    expect(allowed).toEqual(["fleet/a", "fleet/b", "fleet/c"]);
    waves.note("fleet/c", stand("fleet/c", "refused"));
    waves.note("fleet/a", stand("fleet/a", "waiting"));
    expect(waves.holdOf("fleet/a")).toMatchObject({ reason: "RolloutStopped" });
  });

  it("takes one that became unresponsive while it changed for failed at its deadline, though nothing happens then", () => {
    const { waves, clock } = start();
    const changing = { ...stand("fleet/a", "changing"), offeredAtMs: 0 };
    waves.note("fleet/a", changing);
    waves.note("fleet/b", stand("fleet/b", "waiting"));
    waves.note("fleet/c", undefined);
    expect(clock.due).toBeUndefined();
    waves.note("fleet/a", { ...changing, isUnresponsive: true });
    expect(waves.holdOf("fleet/b")).toMatchObject({ reason: "WaitingForWave" });
    expect(clock.due?.atMs).toBe(60_001);
    clock.nowMs = 60_001;
    clock.due?.then();
    expect(waves.holdOf("fleet/b")).toMatchObject({ reason: "RolloutStopped" });
    waves.note("fleet/a", undefined);
    expect(clock.due).toBeUndefined();
  });
});
