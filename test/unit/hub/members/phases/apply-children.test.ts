import { describe, expect, it } from "vitest";
import { applyChildren } from "../../../../../src/hub/members/phases/apply-children.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
import { startMs } from "../../../join/hub-scene.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

describe("applyChildren", () => {
  it("writes the wanted children once", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    expect(await applyChildren(world.scopeOf("eu-1", "kubefleet"), world.ports)).toEqual({ kind: "next" });
    expect(world.asked().length).toBeGreaterThan(2);
    await applyChildren(world.scopeOf("eu-1", "kubefleet"), world.ports);
    expect(world.asked()).toEqual([]);
  });

  it("writes the objects of a namespace in the pass that makes the namespace", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    await applyChildren(world.scopeOf("eu-1", "kubefleet"), world.ports);
    expect(world.asked()).toContain("apply Namespace/fleet-member-eu-1");
    expect(world.asked().some((request) => request.startsWith("apply RoleBinding/"))).toBe(true);
  });

  it("deletes a credential that no member needs", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const metadata = { namespace: workspace, name: "left-over", labels: { [labelKeys.cluster]: "eu-1" } };
    await world.put({ apiVersion: "v1", kind: "Secret", metadata }, "rollcall-hub");
    await applyChildren(world.scopeOf("eu-1"), world.ports);
    expect(world.asked()).toContain("delete Secret/left-over");
  });

  it("leaves a Secret of a person who labelled it as the cluster's", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } }, state: {} });
    const metadata = { namespace: workspace, name: "eu-1-kubeconfig", labels: { [labelKeys.cluster]: "eu-1" } };
    await world.put({ apiVersion: "v1", kind: "Secret", type: "Opaque", metadata }, "kubectl-create");
    await applyChildren(world.scopeOf("eu-1"), world.ports);
    expect(world.asked()).not.toContain("delete Secret/eu-1-kubeconfig");
  });

  it("F13 reverts a field at once, then once a second, and reports the other writer after three reverts until they end", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    await applyChildren(world.scopeOf("eu-1", "kubefleet"), world.ports);
    const { childFights, hubApi } = world.ports;
    const ref = { type: resourceTypes.memberCluster, name: "eu-1" };
    for (let write = 1; write <= 6; write++) {
      world.asked();
      const changed = await hubApi.mergePatch(ref, { spec: { heartbeatPeriodSeconds: 5 } }, { fieldManager: "other" });
      world.ports.view.recordWritten(resourceTypes.memberCluster, changed);
      await applyChildren(world.scopeOf("eu-1", "kubefleet"), world.ports);
      expect(world.asked()).toContain("apply MemberCluster/eu-1");
      const isReported = write > 3;
      world.setNow(startMs + write * 1000);
      expect(childFights.describe("fleet/eu-1") !== undefined, `write ${write}`).toBe(isReported);
      expect(childFights.nextInMs("fleet/eu-1") !== undefined).toBe(isReported);
      expect(world.events.length > 0).toBe(isReported);
    }
    const regarding = { kind: "Cluster", metadata: { name: "eu-1" } };
    expect(world.events[0]).toMatchObject({ regarding, type: "Warning", reason: "FieldFight" });
    const again = await hubApi.mergePatch(ref, { spec: { heartbeatPeriodSeconds: 5 } }, { fieldManager: "other" });
    world.ports.view.recordWritten(resourceTypes.memberCluster, again);
    world.setNow(startMs + 5500);
    world.requests.length = 0;
    await applyChildren(world.scopeOf("eu-1", "kubefleet"), world.ports);
    expect(world.asked()).toEqual([]);
    world.setNow(startMs + 24 * 3_600_000);
    expect(childFights.describe("fleet/eu-1")).toBeUndefined();
    // What a pass held back is due, and then nothing is.
    expect([1, 2].map(() => childFights.nextInMs("fleet/eu-1"))).toEqual([0, undefined]);
  });
});
