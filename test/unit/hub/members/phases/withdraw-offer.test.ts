import { describe, expect, it } from "vitest";
import { withdrawOffer } from "../../../../../src/hub/members/phases/withdraw-offer.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { openMemberWorld } from "../member-world.ts";

describe("withdrawOffer", () => {
  it.each([
    { state: {}, asked: [] },
    { state: { rejoin: "Redeploy" as const }, asked: ["status ClusterReport/eu-1"] },
    { state: { rejoin: "AgentLost" as const }, asked: ["status ClusterReport/eu-1"] },
  ])("writes $asked for a member with $state", async ({ state, asked }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state });
    const metadata = { name: "eu-1", namespace: "fleet" };
    await world.put({ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport", metadata });
    world.requests.length = 0;
    const { ref, status } = { ref: { type: resourceTypes.clusterReport, ...metadata }, status: { hubInfo: {} } };
    const opened = world.scopeOf("eu-1");
    const protocol: typeof opened.protocol = { ...opened.protocol, statusWrites: () => [{ ref, status }] };
    const scope = { ...opened, member: opened.member, hub: opened.hub, protocol };
    expect(await withdrawOffer(scope, world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toEqual(asked);
  });
});
