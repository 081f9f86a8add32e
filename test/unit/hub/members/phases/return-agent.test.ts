import { describe, expect, it } from "vitest";
import { returnAgent } from "../../../../../src/hub/members/phases/return-agent.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
import { AppError } from "../../../../../src/core/errors.ts";
import type { JoinProtocol } from "../../../../../src/join/join.ts";
import { rollcallProtocol } from "../../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import type { ClusterParts } from "../member-world.ts";
import { openMemberWorld, otherWorkspace, workspace } from "../member-world.ts";

const leaving = { [annotationKeys.leave]: "abc" };
const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };
const state = { keys, movedFrom: { workspace, name: "old" } };

/** The same protocol, whose agent has joined or not. */
function withAgent(protocol: JoinProtocol, hasJoined: boolean): JoinProtocol {
  return { ...protocol, factsOf: (member, hub) => ({ ...protocol.factsOf(member, hub), hasJoined }) };
}

describe("returnAgent", () => {
  it.each([
    { reason: "the agent has joined as the successor", own: leaving, old: {}, hasJoined: true, isReturned: true },
    { reason: "the agent has not joined yet", own: leaving, old: {}, hasJoined: false, isReturned: false },
    { reason: "the cluster is not removed", own: {}, old: {}, hasJoined: true, isReturned: false },
    { reason: "the predecessor is removed too", own: leaving, old: leaving, hasJoined: true, isReturned: false },
  ])("returns the agent ($isReturned) when $reason", async ({ own, old, hasJoined, isReturned }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: old });
    await world.addCluster("eu-1", { annotations: own, state });
    const scope = world.scopeOf("eu-1");
    const result = await returnAgent(
      { ...scope, member: scope.member, hub: scope.hub, protocol: withAgent(scope.protocol, hasJoined) },
      world.ports,
    );
    expect(result).toEqual(isReturned ? { kind: "done", requeueAfterMs: 0 } : { kind: "next" });
    const { annotations = {} } = world.clusterOf("eu-1")?.metadata ?? {};
    expect(annotations[annotationKeys.movedTo]).toBe(isReturned ? "fleet/old" : undefined);
    expect(world.stateOf("old")?.keys).toEqual(isReturned ? keys : undefined);
  });

  const others = { signing: "b3RoZXI=", sealing: "b3RoZXI=" };
  const revokedAt = "2027-01-15T08:00:00Z";

  it.each<{ reason: string; old?: ClusterParts; own?: ClusterParts; isReturned: boolean }>([
    { reason: "has this agent still", old: { state: { keys } }, isReturned: true },
    { reason: "has another agent by now", old: { state: { keys: others } }, isReturned: false },
    { reason: "joins by another protocol", old: { spec: { protocol: "kubefleet" } }, isReturned: false },
    {
      reason: "is renamed to a third",
      old: { annotations: { [annotationKeys.movedTo]: "fleet/x" } },
      isReturned: false,
    },
    { reason: "is revoked", old: { annotations: { [annotationKeys.revoked]: "-/eve/now" } }, isReturned: false },
    { reason: "is suspended", old: { annotations: { [annotationKeys.reconcile]: "disabled" } }, isReturned: false },
    { reason: "is declared by no file", old: { manager: "rollcall-hub" }, isReturned: false },
    {
      reason: "has to replace one whose credentials are revoked already",
      own: { state: { ...state, leave: { commit: "abc", since: revokedAt, revokedAt } } },
      isReturned: false,
    },
    {
      reason: "is not the one that the agent came from",
      own: { state: { keys, movedFrom: { workspace, name: "third" } } },
      isReturned: false,
    },
  ])("returns the agent ($isReturned) to a predecessor that $reason", async ({ old = {}, own = {}, isReturned }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", old);
    await world.addCluster("eu-1", { annotations: leaving, state, ...own });
    const scope = world.scopeOf("eu-1", "rollcall", withAgent(rollcallProtocol, true));
    const result = await returnAgent(scope, world.ports);
    expect(result.kind).toBe(isReturned ? "done" : "next");
    if (!isReturned) expect(world.asked()).toEqual([]);
  });

  it.each<{ reason: string; victim: ClusterParts; isReturned: boolean }>([
    { reason: "waits for its agent", victim: {}, isReturned: false },
    { reason: "waits for it with a state", victim: { state: { clientID: "theirs" } }, isReturned: false },
    { reason: "has an agent of these keys", victim: { state: { keys } }, isReturned: false },
    {
      reason: "was taken over by another cluster of that workspace",
      victim: { state: { keys, takenOverBy: { workspace, name: "eu-2" } } },
      isReturned: false,
    },
    {
      reason: "was taken over by one of this name in another workspace",
      victim: { state: { keys, takenOverBy: { workspace: otherWorkspace, name: "eu-1" } } },
      isReturned: false,
    },
    {
      reason: "was taken over by this one",
      victim: { state: { keys, takenOverBy: { workspace, name: "eu-1" } } },
      isReturned: true,
    },
  ])(
    "A125 the state of a cluster that leaves gives a cluster of another workspace its agent ($isReturned) when that $reason",
    async ({ victim, isReturned }) => {
      const world = await openMemberWorld([workspace, otherWorkspace]);
      await world.addCluster("labs/old", victim);
      const before = world.stateOf("labs/old");
      const forged = { keys, movedFrom: { workspace: otherWorkspace, name: "old" } };
      await world.addCluster("eu-1", { annotations: leaving, state: forged });
      const scope = world.scopeOf("eu-1", "rollcall", withAgent(rollcallProtocol, true));
      expect((await returnAgent(scope, world.ports)).kind).toBe(isReturned ? "done" : "next");
      if (isReturned) {
        expect(world.stateOf("labs/old")).toEqual({ keys, movedFrom: { workspace, name: "eu-1" } });
      } else {
        expect(world.asked()).toEqual([]);
        expect(world.stateOf("labs/old")).toEqual(before);
      }
    },
  );

  it("returns the agent to no predecessor that is being deleted", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old");
    const cluster = world.clusterOf("old");
    if (cluster === undefined) throw new Error("no cluster");
    await world.put({ ...cluster, metadata: { name: "old", namespace: workspace, finalizers: ["x/y"] } });
    await world.ports.hubApi.delete({ type: resourceTypes.cluster, namespace: workspace, name: "old" });
    await world.addCluster("eu-1", { annotations: leaving, state });
    const scope = world.scopeOf("eu-1", "rollcall", withAgent(rollcallProtocol, true));
    expect(await returnAgent(scope, world.ports)).toEqual({ kind: "next" });
  });

  it("writes the state of the predecessor first, then sends the very Cluster that it saw on its way, as git", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old");
    await world.addCluster("eu-1", { annotations: leaving, state });
    const { uid } = world.clusterOf("eu-1")?.metadata ?? {};
    const scope = world.scopeOf("eu-1", "rollcall", withAgent(rollcallProtocol, true));
    await returnAgent(scope, world.ports);
    expect(world.asked()).toEqual([
      "create ConfigMap/rollcall-cluster-old",
      "apply ConfigMap/rollcall-cluster-old",
      "patch Cluster/eu-1",
    ]);
    const annotations = { [annotationKeys.leave]: null, [annotationKeys.movedTo]: "fleet/old" };
    expect(world.requests[2]).toMatchObject({ object: { metadata: { uid, annotations } }, manager: "rollcall-git" });
    expect(uid).toBeDefined();
  });

  it("is reconciled again where another writer has made the state of the predecessor", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old");
    await world.addCluster("eu-1", { annotations: leaving, state });
    Object.assign(world.ports.hubApi, { create: () => Promise.reject(new AppError("E_KUBE_EXISTS", "create")) });
    const scope = world.scopeOf("eu-1", "rollcall", withAgent(rollcallProtocol, true));
    expect(await returnAgent(scope, world.ports)).toEqual({ kind: "done", requeueAfterMs: 0 });
    expect(world.asked()).toEqual([]);
  });
});
