import { describe, expect, it } from "vitest";
import { removeForeignFinalizers } from "../../../../../src/hub/members/phases/remove-foreign-finalizers.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

describe("removeForeignFinalizers", () => {
  it.each([
    { reason: "an object that agents write", kind: "ClusterReport", finalizers: ["agent/stays"], writes: 1 },
    { reason: "an object without one", kind: "ClusterReport", finalizers: [], writes: 0 },
    { reason: "an object that only the hub writes", kind: "Secret", finalizers: ["hub/stays"], writes: 0 },
  ])("makes $writes writes for $reason", async ({ kind, finalizers, writes }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const apiVersion = kind === "Secret" ? "v1" : "rollcall.dev/v1alpha1";
    const metadata = { namespace: workspace, name: "eu-1", labels: { [labelKeys.cluster]: "eu-1" }, finalizers };
    await world.put({ apiVersion, kind, metadata }, "rollcall-agent");
    expect(await removeForeignFinalizers(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toHaveLength(writes);
  });
});
