import { describe, expect, it } from "vitest";
import { writeClusterStatus, writeStatus } from "../../../../../src/hub/members/phases/write-status.ts";
import { findCondition } from "../../../../../src/planning/conditions.ts";
import { openMemberWorld } from "../member-world.ts";

describe("writeStatus", () => {
  it("writes the status once, with an Event for what changed", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    expect(await writeStatus(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toContain("status Cluster/eu-1");
    await writeStatus(world.scopeOf("eu-1"), world.ports);
    expect(world.asked()).toEqual([]);
  });

  it.each([
    { extras: { refusal: { reason: "NameTaken", message: "m" } }, type: "Accepted", reason: "NameTaken" },
    { extras: { failure: { reason: "WriteRefused", message: "m" } }, type: "Stalled", reason: "WriteRefused" },
  ])("reports $reason in condition $type", async ({ extras, type, reason }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const scope = world.scopeOf("eu-1");
    await writeClusterStatus(scope, world.ports, extras);
    expect(findCondition(scope.readAgain().cluster.status?.conditions, type)?.reason).toBe(reason);
  });
});
