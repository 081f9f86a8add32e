import { describe, expect, it } from "vitest";
import { namespaceEnding } from "../../../../../src/hub/members/phases/install-agent.ts";
import { schedule } from "../../../../../src/hub/members/phases/schedule.ts";
import type { JoinProtocol } from "../../../../../src/join/join.ts";
import type { InstallState } from "../../../../../src/planning/cluster-status-inputs.ts";
import { startMs } from "../../../join/hub-scene.ts";
import { openMemberWorld } from "../member-world.ts";

const stateOf = (kind: InstallState["kind"]): InstallState => ({ kind, reason: "r", message: "m" });

describe("schedule", () => {
  it.each([
    { reason: "nothing is due", expected: undefined },
    { reason: "a credential is due", dueAtMs: startMs + 5000, expected: 5000 },
    { reason: "a rejoin is due before", dueAtMs: startMs + 5000, rejoinDueAtMs: startMs + 10, expected: 10 },
    { reason: "a moment has passed", dueAtMs: startMs - 1, expected: 0 },
    { reason: "an installation failed", install: stateOf("failed"), dueAtMs: startMs + 5, expected: 30_000 },
    { reason: "an installation is pending", install: stateOf("pending"), expected: 30_000 },
    { reason: "the namespace is being deleted", install: namespaceEnding, expected: 2000 },
    { reason: "a revert is held back", fightInMs: 7, dueAtMs: startMs + 500, expected: 7 },
    {
      reason: "a revert is held back, and an installation failed",
      fightInMs: 7,
      install: stateOf("failed"),
      expected: 7,
    },
    { reason: "a revert is held back in a new namespace", fightInMs: 7, install: namespaceEnding, expected: 7 },
    { reason: "the agent is installed", install: stateOf("installed"), dueAtMs: startMs + 5, expected: 5 },
  ])("requeues after $expected ms when $reason", async (given) => {
    const { install, dueAtMs, rejoinDueAtMs, fightInMs, expected } = given;
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const opened = world.scopeOf("eu-1");
    const protocol: JoinProtocol = { ...opened.protocol, dueAtMs: () => dueAtMs };
    const scope = { ...opened, member: opened.member, hub: opened.hub, protocol, install, rejoinDueAtMs };
    const childFights = { ...world.ports.childFights, nextInMs: () => fightInMs };
    expect(schedule(scope, { ...world.ports, childFights })).toEqual({ kind: "done", requeueAfterMs: expected });
  });

  it("A218 requeues at once when a moment came during the pass, after what it changes was decided", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const opened = world.scopeOf("eu-1");
    expect(opened.hub.nowMs).toBe(startMs);
    world.setNow(startMs + 10);
    opened.readAgain();
    // As of a protocol, for which a moment of the past is none.
    const protocol: JoinProtocol = {
      ...opened.protocol,
      dueAtMs: (_subject, { nowMs }) => (nowMs < startMs + 5 ? startMs + 5 : undefined),
    };
    const scope = { ...opened, startedAtMs: opened.startedAtMs, member: opened.member, hub: opened.hub, protocol };
    expect(schedule(scope, world.ports)).toEqual({ kind: "done", requeueAfterMs: 0 });
  });
});
