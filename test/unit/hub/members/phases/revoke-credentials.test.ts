import { describe, expect, it } from "vitest";
import { revokeCredentials } from "../../../../../src/hub/members/phases/revoke-credentials.ts";
import { annotationKeys, labelKeys } from "../../../../../src/model/well-known.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const revoked = { [annotationKeys.revoked]: "-/alice/2027-01-15T08:00:00Z" };
const leaving = { [annotationKeys.leave]: "abc" };

describe("revokeCredentials", () => {
  it.each([
    { reason: "is revoked", annotations: revoked, deleted: ["Role", "RoleBinding", "Secret", "ServiceAccount"] },
    {
      reason: "is revoked while it leaves",
      annotations: { ...revoked, ...leaving },
      deleted: ["Role", "RoleBinding", "Secret", "ServiceAccount"],
    },
    { reason: "leaves", annotations: leaving, deleted: [] },
    { reason: "is neither", annotations: {}, deleted: [] },
  ])("A284 deletes $deleted of a member that $reason, and nothing that is no credential", async (given) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {}, annotations: given.annotations });
    const metadata = { namespace: workspace, name: "x", labels: { [labelKeys.cluster]: "eu-1" } };
    for (const [apiVersion, kind] of [
      ["v1", "ServiceAccount"],
      ["v1", "Secret"],
      ["v1", "ConfigMap"],
      ["rbac.authorization.k8s.io/v1", "Role"],
      ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    ] as const)
      await world.put({ apiVersion, kind, metadata }, "rollcall-hub");
    expect(await revokeCredentials(world.scopeOf("eu-1"))).toEqual({ kind: "next" });
    expect(world.asked().sort()).toEqual(given.deleted.map((kind) => `delete ${kind}/x`));
    expect(await revokeCredentials(world.scopeOf("eu-1"))).toEqual({ kind: "next" });
    expect(world.asked()).toEqual([]);
  });
});
