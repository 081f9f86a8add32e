import { describe, expect, it } from "vitest";
import { createState } from "../../../../../src/hub/members/phases/create-state.ts";
import { memberStateName, memberStateObject } from "../../../../../src/model/member-state.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

describe("createState", () => {
  it("creates a state that contains only how the Cluster was made", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1");
    expect(await createState(world.scopeOf("eu-1"))).toEqual({ kind: "next" });
    expect(world.stateOf("eu-1")).toEqual({ origin: world.originOf("eu-1") });
  });

  it("writes nothing for a member that has a state", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: { clientID: "uid-1" } });
    expect(await createState(world.scopeOf("eu-1"))).toEqual({ kind: "next" });
    expect(world.asked()).toEqual([]);
  });

  it("puts the label back that a person took off a state", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: { clientID: "uid-1" } });
    const ref = { type: resourceTypes.configMap, namespace: workspace, name: memberStateName("eu-1") };
    const labels = { [labelKeys.cluster]: null };
    await world.ports.hubApi.mergePatch(ref, { metadata: { labels } }, { fieldManager: "kubectl-label" });
    const scope = world.scopeOf("eu-1");
    expect(await createState(scope)).toEqual({ kind: "next" });
    expect(world.asked()).toEqual(["apply ConfigMap/rollcall-cluster-eu-1"]);
    expect(world.ports.view.get(ref)?.metadata.labels).toEqual({ [labelKeys.cluster]: "eu-1" });
  });

  it("requeues when another writer created the state meanwhile, and leaves it", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1");
    const scope = world.scopeOf("eu-1");
    await world.put(memberStateObject(workspace, "eu-1", { clientID: "uid-1" }), "rollcall-hub");
    expect(await createState(scope)).toEqual({ kind: "done", requeueAfterMs: 500 });
    expect(world.stateOf("eu-1")).toEqual({ clientID: "uid-1" });
  });
});
