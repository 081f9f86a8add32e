import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import { offboard } from "../../../../../src/hub/members/phases/offboard.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../../../src/model/well-known.ts";
import { startMs } from "../../../join/hub-scene.ts";
import { openMemberWorld } from "../member-world.ts";

const annotations = { [annotationKeys.leave]: "abc" };

describe("offboard", () => {
  it.each([
    { reason: "no commit removes the cluster", annotations: {}, expected: { kind: "next" }, phase: undefined },
    {
      reason: "the grace period runs",
      annotations,
      spec: { deletionGracePeriod: "60s" },
      expected: { kind: "done", requeueAfterMs: 60_000 },
      phase: "Waiting",
    },
    {
      reason: "other tools use published objects",
      annotations,
      spec: { deletionGracePeriod: "0s" },
      heldMs: 700,
      expected: { kind: "done", requeueAfterMs: 700 },
      phase: "Waiting",
    },
    {
      reason: "nothing waits",
      annotations,
      spec: { deletionGracePeriod: "0s" },
      expected: { kind: "done", requeueAfterMs: undefined },
      phase: "deleted",
    },
  ])("is in phase $phase when $reason", async ({ annotations: own, spec = {}, heldMs = 0, expected, phase }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { annotations: own, spec, state: {} });
    const scope = world.scopeOf("eu-1");
    const result = await offboard(scope, { ...world.ports, publishedHoldMs: () => heldMs });
    expect(result).toEqual(expected);
    const isThere = world.clusterOf("eu-1") !== undefined;
    expect(isThere ? scope.readAgain().cluster.status?.leave?.phase : "deleted").toBe(phase);
    expect(world.events.map(({ reason }) => reason)).toEqual(isThere ? [] : ["Left"]);
    if (phase === "Waiting")
      expect(world.stateOf("eu-1")?.leave).toEqual({
        commit: "abc",
        since: new Date(startMs).toISOString().replace(".000", ""),
      });
  });

  it.each([
    ["refuses what the agent reports", "E_KUBE_INVALID"],
    ["has no room for it in an object that the agent fills", "E_KUBE_SERVER"],
  ] as const)("A100 continues where the API server %s", async (_what, code) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { annotations, spec: { deletionGracePeriod: "0s" }, state: {} });
    const scope = world.scopeOf("eu-1");
    const status = { platform: "refused" };
    const write: typeof scope.write = {
      ...scope.write,
      applyStatus: async (wanted, from) => {
        if (wanted.ref.type === resourceTypes.clusterReport) throw new AppError(code, "refused");
        if ("platform" in wanted.status) throw new AppError("E_KUBE_INVALID", "platform: Invalid value");
        return scope.write.applyStatus(wanted, from);
      },
    };
    const protocol: typeof scope.protocol = {
      ...scope.protocol,
      factsOf: (member, hub) => ({ ...scope.protocol.factsOf(member, hub), status }),
      offboardingStatusWrites: ({ workspace: namespace, name }) => [
        { ref: { type: resourceTypes.clusterReport, namespace, name }, status },
      ],
    };
    expect(await offboard({ ...scope, write, protocol }, world.ports)).toEqual({ kind: "done" });
    expect(world.clusterOf("eu-1")).toBeUndefined();
  });

  it("gives each condition the time of its change, however many steps one pass takes", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { annotations, spec: { deletionGracePeriod: "0s" }, state: {} });
    await world.put({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "rollcall-eu-1", namespace: "fleet", labels: { [labelKeys.cluster]: "eu-1" } },
    });
    world.setRequestMs(1000);
    await offboard(world.scopeOf("eu-1"), world.ports);
    expect(world.asked().filter((request) => request === "status Cluster/eu-1")).toHaveLength(2);
    expect(world.timesOf("eu-1", "Reconciling")).toHaveLength(1);
  });
});
