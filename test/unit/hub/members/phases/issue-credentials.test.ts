import { describe, expect, it } from "vitest";
import { applyChildren } from "../../../../../src/hub/members/phases/apply-children.ts";
import { issueCredentials } from "../../../../../src/hub/members/phases/issue-credentials.ts";
import { openMemberWorld } from "../member-world.ts";

describe("issueCredentials", () => {
  it("issues nothing for a member without an agent and without a kubeconfig", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    await applyChildren(world.scopeOf("eu-1"), world.ports);
    expect(await issueCredentials(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toEqual([]);
  });

  it("records the credential in the state before the Secret with its values is written, and issues it once", async () => {
    const world = await openMemberWorld();
    const spec = { kubeConfigSecretRef: { name: "kubeconfig" } };
    await world.addCluster("eu-1", { spec, state: {} });
    await applyChildren(world.scopeOf("eu-1"), world.ports);
    expect(await issueCredentials(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
    expect(world.stateOf("eu-1")?.bootstrap?.number).toBe(1);
    expect(world.asked().length).toBeGreaterThan(0);
    await issueCredentials(world.scopeOf("eu-1"), world.ports);
    expect(world.asked()).toEqual([]);
  });
});
