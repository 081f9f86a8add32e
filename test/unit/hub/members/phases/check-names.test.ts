import { describe, expect, it } from "vitest";
import { checkNames } from "../../../../../src/hub/members/phases/check-names.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
import { findCondition } from "../../../../../src/planning/conditions.ts";
import type { ClusterParts } from "../member-world.ts";
import { openMemberWorld } from "../member-world.ts";

const memberCluster = {
  apiVersion: "cluster.kubernetes-fleet.io/v1",
  kind: "MemberCluster",
  metadata: { name: "eu-1" },
  spec: {},
};

describe("checkNames", () => {
  it.each<{
    reason: string;
    put: readonly (typeof memberCluster)[];
    annotations: NonNullable<ClusterParts["annotations"]>;
    isRefused: boolean;
  }>([
    { reason: "the name is free", put: [], annotations: {}, isRefused: false },
    { reason: "another manager made the object", put: [memberCluster], annotations: {}, isRefused: true },
    {
      reason: "the file adopts the object",
      put: [memberCluster],
      annotations: { [annotationKeys.adopt]: "true" },
      isRefused: false,
    },
  ])("refuses the member ($isRefused) when $reason", async ({ put, annotations, isRefused }) => {
    const world = await openMemberWorld();
    for (const object of put) await world.put(object, "somebody");
    await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, annotations });
    const scope = world.scopeOf("eu-1", "kubefleet");
    const result = await checkNames(scope, world.ports);
    expect(result).toEqual(isRefused ? { kind: "done", requeueAfterMs: 30_000 } : { kind: "next" });
    const accepted = findCondition(scope.readAgain().cluster.status?.conditions, "Accepted");
    expect(accepted?.reason).toBe(isRefused ? "NameExists" : undefined);
  });
});
