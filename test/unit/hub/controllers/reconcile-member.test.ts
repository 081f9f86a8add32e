import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memberPhases, reconcileMember } from "../../../../src/hub/controllers/reconcile-member.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../../../../src/model/well-known.ts";
import { reconcileToken } from "../../../../src/hub/tokens.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { findCondition, readConditions } from "../../../../src/planning/conditions.ts";
import { countCalls, withoutOptimizer } from "../../../support/count-calls.ts";
import type { ClusterParts, MemberWorld } from "../members/member-world.ts";
import { openMemberWorld, workspace } from "../members/member-world.ts";

withoutOptimizer();

/** Passes until nothing is written any more; forgets what was read until then. */
async function settle({ ports, signal, requests, reads }: MemberWorld, name: string): Promise<void> {
  for (let pass = 0; pass < 10; pass++) {
    requests.length = 0;
    Object.assign(reads, { members: 0, facts: 0 });
    await reconcileMember(ports, { workspace, name }, signal);
    if (requests.length === 0) return;
  }
  throw new Error(`${name} does not come to rest`);
}

describe("reconcileMember", () => {
  it("reads the member and the facts of the hub once when nothing is to be written", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1");
    await settle(world, "eu-1");
    // Without the scope there were 11 readings of the member and 10 of the facts.
    expect(world.reads).toEqual({ members: 1, facts: 1 });
  });

  it("computes the status once when nothing is to be written", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1");
    await settle(world, "eu-1");
    const counts = await countCalls(() => settle(world, "eu-1"));
    const places = [...counts].filter(([place]) =>
      place.startsWith("src/planning/cluster-status.ts computeClusterStatus"),
    );
    expect(Math.max(...places.map(([, count]) => count))).toBe(1);
  });

  it("reads again only after own writes", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1");
    world.requests.length = 0;
    Object.assign(world.reads, { members: 0, facts: 0 });
    await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal);
    expect(world.reads.members).toBeLessThanOrEqual(1 + world.requests.length);
    expect(world.asked()).toContain("status Cluster/eu-1");
  });

  it("does nothing for a member whose reconciliation is disabled", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { annotations: { [annotationKeys.reconcile]: "disabled" } });
    world.requests.length = 0;
    expect(await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal)).toBeUndefined();
    expect(world.asked()).toEqual([]);
  });

  it("A8 revokes a member whose reconciliation is disabled", async () => {
    const world = await openMemberWorld();
    const disabled = { [annotationKeys.reconcile]: "disabled" };
    const revoked = { [annotationKeys.revoked]: "-/alice/2027-01-15T08:00:00Z" };
    const state = { join: { registration: "r", time: "2027-01-15T08:00:00Z", initiated: "agent" as const } };
    await world.addCluster("eu-1", { state, annotations: { ...disabled, ...revoked } });
    const labels = { [labelKeys.cluster]: "eu-1" };
    const metadata = { name: "rollcall-eu-1", namespace: workspace, labels };
    await world.put({ apiVersion: "v1", kind: "ServiceAccount", metadata }, fieldManagers.hub);
    await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal);
    expect(world.asked()).toContain("delete ServiceAccount/rollcall-eu-1");
  });

  it.each<{ reason: string; parts: ClusterParts; taken?: KubeObject }>([
    {
      reason: "waits for its grace period",
      parts: { spec: { deletionGracePeriod: "24h" }, annotations: { [annotationKeys.leave]: "abc" } },
    },
    {
      reason: "has lost its identity",
      parts: { state: {}, status: { identity: { keys: [`sha256:${"0".repeat(64)}`] } } },
    },
    {
      reason: "has a name that another program took",
      parts: { spec: { protocol: "kubefleet" } },
      taken: { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", metadata: { name: "eu-1" } },
    },
  ])("A284 ends the credentials at once of a revoked member that $reason", async ({ parts, taken }) => {
    const world = await openMemberWorld();
    const revoked = { [annotationKeys.revoked]: "-/alice/2027-01-15T08:00:00Z" };
    const state = { join: { registration: "r", time: "2027-01-15T08:00:00Z", initiated: "agent" as const } };
    await world.addCluster("eu-1", { state, ...parts, annotations: { ...parts.annotations, ...revoked } });
    if (taken !== undefined) await world.put(taken, "other-tool");
    const metadata = { name: "account", namespace: workspace, labels: { [labelKeys.cluster]: "eu-1" } };
    await world.put({ apiVersion: "v1", kind: "ServiceAccount", metadata }, fieldManagers.hub);
    await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal);
    expect(world.asked()).toContain("delete ServiceAccount/account");
    const conditions = readConditions(world.clusterOf("eu-1"));
    expect(findCondition(conditions, "CredentialsValid")?.reason).toBe("Revoked");
  });

  it("names the option that serves the protocol of a member, and does nothing else for it", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", {
      spec: { protocol: "fleet" },
      labels: { [labelKeys.repository]: "rollcall-system.fleet" },
    });
    world.requests.length = 0;
    expect(await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal)).toBeUndefined();
    expect(world.asked()).toEqual(["status Cluster/eu-1"]);
    const conditions = readConditions(world.requests[0]?.object as KubeObject);
    for (const type of ["Ready", "Joined", "Stalled"])
      expect(findCondition(conditions, type)).toMatchObject({
        status: type === "Stalled" ? "True" : "False",
        reason: "NotServed",
        message: expect.stringContaining("--serve-fleet") as string,
      });
    await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal);
    expect(world.asked()).toHaveLength(1);
  });

  it("names the option that serves the protocol of a token, and does nothing else for it", async () => {
    const world = await openMemberWorld();
    const metadata = {
      name: "door",
      namespace: workspace,
      labels: { [labelKeys.repository]: "rollcall-system.fleet" },
    };
    const token = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata };
    await world.put({ ...token, spec: { protocol: "fleet" } });
    world.requests.length = 0;
    expect(await reconcileToken(world.ports, { workspace, name: "door" }, world.signal)).toBeUndefined();
    expect(world.asked()).toEqual(["status ClusterRegistrationToken/door"]);
    const conditions = readConditions(world.requests[0]?.object as KubeObject);
    expect(findCondition(conditions, "Ready")).toMatchObject({ status: "False", reason: "NotServed" });
  });

  it("has a table test for each phase", () => {
    const filesIn = (folder: string): string[] => readdirSync(folder).sort();
    const tested = filesIn("test/unit/hub/members/phases").map((file) => file.replace(".test.ts", ".ts"));
    expect(tested).toEqual(filesIn("src/hub/members/phases"));
  });

  it("has one phase for each file, in the order that docs/architecture.md explains", () => {
    expect(memberPhases.map(({ name }) => name)).toEqual([
      "observeHeartbeat",
      "revokeCredentials",
      "confirmSilence",
      "leavePreviousProtocol",
      "returnAgent",
      "offboard",
      "finishMove",
      "takeOverState",
      "checkDeclared",
      "checkNames",
      "createState",
      "forgetPredecessor",
      "recordOrigin",
      "decideRejoin",
      "applyLabels",
      "removeForeignFinalizers",
      "applyChildren",
      "releasePreviousHubHolds",
      "issueCredentials",
      "withdrawOffer",
      "installAgent",
      "awaitFirstReport",
      "writeStatus",
      "applyChildren",
      "schedule",
    ]);
  });
});
