import { describe, expect, it } from "vitest";
import { applyChildren } from "../../../../../src/hub/members/phases/apply-children.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

describe("applyChildren", () => {
  it("writes the wanted children once", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    expect(await applyChildren(world.scopeOf("eu-1", "kubefleet"))).toEqual({ kind: "next" });
    expect(world.asked().length).toBeGreaterThan(2);
    await applyChildren(world.scopeOf("eu-1", "kubefleet"));
    expect(world.asked()).toEqual([]);
  });

  it("writes the objects of a namespace in the pass that makes the namespace", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
    await applyChildren(world.scopeOf("eu-1", "kubefleet"));
    expect(world.asked()).toContain("apply Namespace/fleet-member-eu-1");
    expect(world.asked().some((request) => request.startsWith("apply RoleBinding/"))).toBe(true);
  });

  it("deletes a credential that nobody wants", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const metadata = { namespace: workspace, name: "left-over", labels: { [labelKeys.cluster]: "eu-1" } };
    await world.put({ apiVersion: "v1", kind: "Secret", metadata }, "rollcall-hub");
    await applyChildren(world.scopeOf("eu-1"));
    expect(world.asked()).toContain("delete Secret/left-over");
  });
});
