import { describe, expect, it } from "vitest";
import { finishMove } from "../../../../../src/hub/members/phases/finish-move.ts";
import type { JoinProtocol } from "../../../../../src/join/join.ts";
import { rollcallProtocol } from "../../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../../../src/model/well-known.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { openMemberWorld, otherWorkspace, workspace } from "../member-world.ts";

const moved = { [annotationKeys.movedTo]: "fleet/eu-1" };
const movedFrom = { workspace, name: "old" };
const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };

describe("finishMove", () => {
  it.each<{ reason: string; annotations: Record<string, string>; successor: MemberState; isRemoved: boolean }>([
    { reason: "it is not renamed", annotations: {}, successor: { movedFrom }, isRemoved: false },
    { reason: "the successor has not taken its state", annotations: moved, successor: {}, isRemoved: false },
    { reason: "the agent has not moved yet", annotations: moved, successor: { movedFrom, keys }, isRemoved: false },
    { reason: "there never was an agent", annotations: moved, successor: { movedFrom }, isRemoved: true },
  ])("removes the predecessor ($isRemoved) when $reason", async ({ annotations, successor, isRemoved }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations, state: {} });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: successor });
    const result = await finishMove(world.scopeOf("old"), world.ports);
    expect(result).toEqual(isRemoved ? { kind: "done", requeueAfterMs: undefined } : { kind: "next" });
    expect(world.clusterOf("old") === undefined).toBe(isRemoved);
    expect(world.stateOf("old") === undefined).toBe(isRemoved);
    expect(world.events.map(({ reason }) => reason)).toEqual(isRemoved ? ["Moved"] : []);
  });

  it("A75 revokes the new name when the old one is revoked on the way, once: a change of its file admits it again", async () => {
    const revoked = annotationKeys.revoked;
    const by = "eve/2026-01-01T00:00:00Z";
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: { ...moved, [revoked]: `-/${by}` }, state: { keys } });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: {} });
    const revocationOf = (name: string): unknown => world.clusterOf(name)?.metadata.annotations?.[revoked];
    await finishMove(world.scopeOf("old"), world.ports);
    expect([revocationOf("eu-1"), revocationOf("old")]).toEqual([`-/${by}`, `passed-on/${by}`]);
    const again = world.scopeOf("old");
    await finishMove(again, world.ports);
    expect(world.asked()).toEqual([]);
  });

  it.each([
    { reason: "names none", victim: { state: { keys } }, isRevoked: false },
    {
      reason: "names another one of that workspace",
      victim: { spec: { previousName: "old" }, state: { keys } },
      isRevoked: false,
    },
    {
      reason: "took the place of another one",
      victim: { state: { keys, movedFrom: { workspace: otherWorkspace, name: "old" } } },
      isRevoked: false,
    },
    { reason: "names it", victim: { spec: { previousName: "fleet/old" } }, isRevoked: true },
    { reason: "took its place, and names it no more", victim: { state: { keys, movedFrom } }, isRevoked: true },
  ])(
    "A124 a revoked cluster that is marked as becoming one of another workspace revokes that one ($isRevoked) when it $reason",
    async ({ victim, isRevoked }) => {
      const revoked = annotationKeys.revoked;
      const annotations = { [annotationKeys.movedTo]: "labs/eu-1", [revoked]: "-/eve/now" };
      const world = await openMemberWorld([workspace, otherWorkspace]);
      await world.addCluster("old", { annotations, manager: "kubectl" });
      await world.addCluster("labs/eu-1", victim);
      await finishMove(world.scopeOf("old"), world.ports);
      expect(world.clusterOf("labs/eu-1")?.metadata.annotations?.[revoked]).toBe(isRevoked ? "-/eve/now" : undefined);
      expect(world.asked()).toEqual(isRevoked ? ["patch Cluster/eu-1", "patch Cluster/old"] : []);
    },
  );

  it.each([
    { reason: "is not renamed", annotations: { [annotationKeys.revoked]: "-/eve/now" } },
    { reason: "is not revoked", annotations: moved },
  ])("revokes no other cluster for one that $reason", async ({ annotations }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations, state: { keys } });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: {} });
    await finishMove(world.scopeOf("old"), world.ports);
    expect(world.clusterOf("eu-1")?.metadata.annotations?.[annotationKeys.revoked]).toBeUndefined();
  });

  it("writes each revocation to the very object that it saw", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", {
      annotations: { ...moved, [annotationKeys.revoked]: "a.yaml/eve/now" },
      state: { keys },
    });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: {} });
    const uidOf = (name: string) => world.clusterOf(name)?.metadata.uid;
    await finishMove(world.scopeOf("old"), world.ports);
    expect(uidOf("old")).toBeDefined();
    expect(world.requests.map(({ verb, name, object }) => ({ verb, name, object }))).toEqual(
      (
        [
          ["eu-1", "-"],
          ["old", "passed-on"],
        ] as const
      ).map(([name, file]) => ({
        verb: "patch",
        name: `Cluster/${name}`,
        object: { metadata: { uid: uidOf(name), annotations: { [annotationKeys.revoked]: `${file}/eve/now` } } },
      })),
    );
  });

  it("keeps the revocation that the new name has already", async () => {
    const revoked = annotationKeys.revoked;
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: { ...moved, [revoked]: "-/eve/now" }, state: { keys } });
    await world.addCluster("eu-1", {
      annotations: { [revoked]: "b.yaml/bob/then" },
      spec: { previousName: "old" },
      state: {},
    });
    await finishMove(world.scopeOf("old"), world.ports);
    expect(world.clusterOf("eu-1")?.metadata.annotations?.[revoked]).toBe("b.yaml/bob/then");
    expect(world.clusterOf("old")?.metadata.annotations?.[revoked]).toBe("passed-on/eve/now");
  });

  it("revokes nothing before the successor is there", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", {
      annotations: { ...moved, [annotationKeys.revoked]: "-/eve/now" },
      state: { keys },
    });
    await finishMove(world.scopeOf("old"), world.ports);
    expect(world.asked()).toEqual([]);
  });

  const joinedAs = (...names: string[]): Partial<JoinProtocol> => ({
    factsOf: (member, hub) => ({ ...rollcallProtocol.factsOf(member, hub), hasJoined: names.includes(member.name) }),
  });
  const account = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "rollcall-old", namespace: workspace, labels: { [labelKeys.cluster]: "old" } },
  };

  it("deletes the accounts of the old name before its Cluster, each by the version that it saw", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { spec: { previousName: "old" }, state: { movedFrom, keys } });
    await world.put(account, "rollcall-hub");
    const seen = [account, world.clusterOf("old")].map((object) => object && world.get(object)?.metadata);
    const [, cluster] = seen;
    await finishMove(world.scopeOf("old", "rollcall", joinedAs("eu-1")), world.ports);
    const deletions = world.requests.filter(({ verb }) => verb === "delete");
    expect(deletions.map(({ name }) => name)).toEqual([
      "ServiceAccount/rollcall-old",
      "ConfigMap/rollcall-cluster-old",
      "Cluster/old",
    ]);
    expect(deletions[0]?.object).toEqual({ uid: seen[0]?.uid, resourceVersion: seen[0]?.resourceVersion });
    expect(deletions[2]?.object).toEqual({ uid: cluster?.uid, resourceVersion: cluster?.resourceVersion });
    expect(cluster?.uid).toBeDefined();
    expect(world.events).toMatchObject([
      {
        regarding: { metadata: { name: "eu-1" } },
        type: "Normal",
        message: "The cluster was fleet/old before; its agent works under the new name.",
      },
    ]);
  });

  it.each([
    {
      reason: "the agent works under a still later name",
      joined: ["eu-2"],
      middle: { movedFrom, keys },
      isRemoved: true,
    },
    { reason: "the agent works under no name yet", joined: [], middle: { movedFrom, keys }, isRemoved: false },
    { reason: "the name between has another agent", joined: ["eu-2"], middle: { keys }, isRemoved: false },
    {
      reason: "the name between came from another cluster",
      joined: ["eu-2"],
      middle: { movedFrom: { workspace, name: "other" }, keys },
      isRemoved: false,
    },
    {
      reason: "the name between came from a cluster of another workspace",
      joined: ["eu-2"],
      middle: { movedFrom: { workspace: "labs", name: "old" }, keys },
      isRemoved: false,
    },
  ])("removes the first of three names ($isRemoved) when $reason", async ({ joined, middle, isRemoved }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { annotations: { [annotationKeys.movedTo]: "fleet/eu-2" }, state: middle });
    await world.addCluster("eu-2", { state: { movedFrom: { workspace, name: "eu-1" }, keys } });
    await finishMove(world.scopeOf("old", "rollcall", joinedAs(...joined)), world.ports);
    expect(world.clusterOf("old") === undefined).toBe(isRemoved);
  });

  it("keeps a name while its own predecessor is there: an agent that returns late has to find the way", async () => {
    const world = await openMemberWorld();
    await world.addCluster("oldest", { annotations: { [annotationKeys.movedTo]: "fleet/old" }, state: { keys } });
    await world.addCluster("old", { annotations: moved, state: { keys, movedFrom: { workspace, name: "oldest" } } });
    await world.addCluster("eu-1", { state: { movedFrom, keys } });
    expect(await finishMove(world.scopeOf("old", "rollcall", joinedAs("eu-1")), world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toEqual([]);
  });

  it("comes to an end where names lead in a circle", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys, movedFrom: { workspace, name: "eu-1" } } });
    await world.addCluster("eu-1", {
      annotations: { [annotationKeys.movedTo]: "fleet/old" },
      state: { movedFrom, keys },
    });
    expect(await finishMove(world.scopeOf("old"), world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toEqual([]);
  });

  it("keeps the Cluster whose file came back while its accounts were deleted", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { state: { movedFrom, keys } });
    await world.put(account, "rollcall-hub");
    const remove = world.ports.hubApi.delete.bind(world.ports.hubApi);
    const ref = { type: resourceTypes.cluster, namespace: workspace, name: "old" };
    const back = { metadata: { annotations: { [annotationKeys.movedTo]: null } } };
    Object.assign(world.ports.hubApi, {
      delete: async (...of: Parameters<typeof remove>) => {
        await world.hub.api.mergePatch(ref, back, { fieldManager: "rollcall-git" });
        return remove(...of);
      },
    });
    const result = await finishMove(world.scopeOf("old", "rollcall", joinedAs("eu-1")), world.ports);
    expect(result).toEqual({ kind: "done", requeueAfterMs: undefined });
    expect(world.clusterOf("old")).toBeDefined();
    expect(world.events).toEqual([]);
  });

  it("deletes the objects of the old name alone: nothing is released or uninstalled, the agent needs it", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { state: { movedFrom, keys } });
    await world.put(account, "rollcall-hub");
    const ref = { type: resourceTypes.serviceAccount, namespace: workspace, name: "rollcall-old" };
    const offboardingSteps: JoinProtocol["offboardingSteps"] = () => [
      { kind: "uninstall", refs: [ref] },
      { kind: "release", refs: [ref] },
    ];
    await finishMove(world.scopeOf("old", "rollcall", { ...joinedAs("eu-1"), offboardingSteps }), world.ports);
    expect(world.asked()).toEqual(["delete Cluster/old"]);
  });
});
