import { describe, expect, it } from "vitest";
import { releasePreviousHubHolds } from "../../../../../src/hub/members/phases/release-previous-hub-holds.ts";
import { openMemberWorld } from "../member-world.ts";

const memberCluster = (finalizers: string[]) => ({
  apiVersion: "cluster.kubernetes-fleet.io/v1",
  kind: "MemberCluster",
  metadata: {
    name: "eu-1",
    finalizers,
    labels: { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": "fleet" },
  },
  spec: {},
});

describe("releasePreviousHubHolds", () => {
  it.each([
    {
      reason: "of the former hub agent",
      finalizers: ["kubernetes-fleet.io/membercluster-finalizer", "own"],
      left: ["own"],
    },
    { reason: "of others only", finalizers: ["own"], left: ["own"] },
  ])("removes the finalizers $reason", async ({ finalizers, left }) => {
    const world = await openMemberWorld();
    await world.put(memberCluster(finalizers), "fleet");
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    expect(await releasePreviousHubHolds(world.scopeOf("eu-1", "kubefleet"), world.ports)).toEqual({ kind: "next" });
    expect(world.get(memberCluster([]))?.metadata.finalizers).toEqual(left);
    expect(world.asked()).toHaveLength(left.length === finalizers.length ? 0 : 1);
  });

  it("writes the lists to the very version that they were computed from", async () => {
    const world = await openMemberWorld();
    await world.put(memberCluster(["kubernetes-fleet.io/membercluster-finalizer", "own"]), "fleet");
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    const { uid, resourceVersion } = world.get(memberCluster([]))?.metadata ?? {};
    await releasePreviousHubHolds(world.scopeOf("eu-1", "kubefleet"), world.ports);
    const metadata = { uid, resourceVersion, finalizers: ["own"], ownerReferences: [] };
    expect(world.requests).toMatchObject([{ object: { metadata } }]);
    expect(uid).toBeDefined();
  });

  it("skips an object that is not there any more", async () => {
    const world = await openMemberWorld();
    await world.put(memberCluster(["kubernetes-fleet.io/membercluster-finalizer"]), "fleet");
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    const scope = world.scopeOf("eu-1", "kubefleet");
    expect(await releasePreviousHubHolds(scope, { view: { get: () => undefined } })).toEqual({ kind: "next" });
    expect(world.asked()).toEqual([]);
  });
});
