import { describe, expect, it } from "vitest";
import { awaitFirstReport } from "../../../../../src/hub/members/phases/await-first-report.ts";
import type { JoinProtocol } from "../../../../../src/join/join.ts";
import type { InstallState } from "../../../../../src/planning/cluster-status-inputs.ts";
import { startMs } from "../../../join/hub-scene.ts";
import { openMemberWorld } from "../member-world.ts";

const admitted = (agoMs: number) => ({
  join: { registration: "r", time: new Date(startMs - agoMs).toISOString(), token: "t", initiated: "agent" as const },
});
const failed: InstallState = { kind: "failed", reason: "KubeconfigRefused", message: "m" };

describe("awaitFirstReport", () => {
  it.each([
    { reason: "no agent was admitted", state: {}, expected: undefined },
    { reason: "an agent was admitted just now", state: admitted(0), expected: 10_000 },
    { reason: "an agent was admitted 4 s ago", state: admitted(4000), expected: 6000 },
    { reason: "the report is late", state: admitted(10_000), expected: undefined },
    { reason: "its installation failed", state: admitted(0), install: failed, expected: undefined },
    { reason: "the agent reported", state: admitted(0), hasJoined: true, expected: undefined, begins: true },
    { reason: "other agents wait for answers", state: admitted(0), hasJoined: true, heldBackMs: 300, expected: 300 },
  ])("waits $expected ms when $reason", async (row) => {
    const { state, install, hasJoined = false, heldBackMs = 0, expected, begins = false } = row;
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state });
    const opened = world.scopeOf("eu-1");
    const protocol: JoinProtocol = {
      ...opened.protocol,
      factsOf: (member, hub) => ({ ...opened.protocol.factsOf(member, hub), hasJoined }),
    };
    const begun: string[] = [];
    const result = awaitFirstReport(
      { ...opened, member: opened.member, hub: opened.hub, protocol, install },
      { pendingAdmissions: { holdBackMs: () => heldBackMs }, health: { begin: (key) => void begun.push(key) } },
    );
    expect(result).toEqual(expected === undefined ? { kind: "next" } : { kind: "done", requeueAfterMs: expected });
    expect(begun).toEqual(begins ? ["fleet/eu-1"] : []);
  });
});
