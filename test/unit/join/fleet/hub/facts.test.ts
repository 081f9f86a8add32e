import { describe, expect, it } from "vitest";
import {
  agentNamespaceOf,
  isOnlyFleetHeartbeat,
  memberFacts,
  memberStatusWrites,
} from "../../../../../src/join/fleet/hub/facts.ts";
import { clusterNamespaceName } from "../../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { describeRef } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { fleetMemberOf, grantedMemory, requestOf } from "../fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");
const fleetCluster = (lastSeen?: string, generation = 1, namespace?: string): KubeObject => ({
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: workspace, generation },
  status: { agent: { lastSeen, namespace } },
});
const answer: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "c-answer", namespace: "cattle-fleet-clusters-system" },
};
const deployment = (name: string, changes: object = {}): KubeObject => ({
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "BundleDeployment",
  metadata: { name, namespace: home, ...changes },
  spec: { deploymentID: "a:1" },
});
const state = grantedMemory();

describe("isOnlyFleetHeartbeat: whether a change shows only that the agent lives", () => {
  it.each<[string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ["another time", fleetCluster("a"), fleetCluster("b"), true],
    ["the same time, so something else changed", fleetCluster("a"), fleetCluster("a"), false],
    ["another time with another spec", fleetCluster("a", 1), fleetCluster("b", 2), false],
    ["the first heartbeat", fleetCluster(), fleetCluster("b"), false],
    ["the last one taken away", fleetCluster("a"), fleetCluster(), false],
    ["a new object", undefined, fleetCluster("b"), false],
    ["a deleted object", fleetCluster("a"), undefined, false],
  ])("%s", (_what, before, object, expected) => {
    expect(isOnlyFleetHeartbeat(before, object)).toBe(expected);
  });
});

describe("memberFacts: what is known of a Fleet agent", () => {
  it.each<[string, MemberParts, boolean, string]>([
    ["nobody was let in", {}, false, "Unknown NotIssued"],
    ["its answer is being made", { state }, false, "Unknown Issuing"],
    ["its answer is there", { state, children: [answer] }, true, "True Unlimited"],
    ["it was heard", { state, children: [fleetCluster("a")] }, true, "True Unlimited"],
    ["it has not been heard", { state, children: [fleetCluster()] }, false, "Unknown Issuing"],
    ["Fleet's controllers let it in", { children: [fleetCluster("a")] }, true, "True IssuedByFleet"],
    [
      "it is revoked",
      { state, children: [answer], annotations: { "rollcall.dev/revoked": "-/operator/now" } },
      true,
      "False Revoked",
    ],
  ])("when %s", (_when, parts, hasJoined, expected) => {
    const { credentials, ...facts } = memberFacts(fleetMemberOf("eu-1", parts));
    expect([facts.hasJoined, `${credentials.status} ${credentials.reason}`]).toEqual([hasJoined, expected]);
  });

  it("is healthy only while heartbeats come, and reports how many bundles are ready", () => {
    expect(memberFacts(fleetMemberOf("eu-1", { state, children: [answer] })).health).toBeUndefined();
    const children = [fleetCluster("a"), deployment("app")];
    expect(memberFacts(fleetMemberOf("eu-1", { state, children })).health?.message).toBe(
      "The agent sends heartbeats; 0 of 1 bundles are ready (WaitApplied).",
    );
  });

  it("shows where the agent is and who it is, as far as that is known", () => {
    expect(memberFacts(fleetMemberOf("eu-1")).status).toEqual({});
    expect(memberFacts(fleetMemberOf("eu-1", { state, children: [fleetCluster("a", 1, "edge")] })).status).toEqual({
      agent: { namespace: "edge" },
      identity: { clientID: "uid-1" },
    });
  });

  it.each([
    ["edge", "edge"],
    ["a", "a"],
    ["a".repeat(63), "a".repeat(63)],
    ["a".repeat(64), "cattle-fleet-system"],
    ["-edge", "cattle-fleet-system"],
    ["edge-", "cattle-fleet-system"],
    ["edge\nrm", "cattle-fleet-system"],
    [undefined, "cattle-fleet-system"],
  ])("shows the namespace %j as %s", (said, shown) => {
    expect(agentNamespaceOf(fleetCluster("a", 1, said))).toBe(shown);
  });
});

describe("statusWrites: what Fleet's users and its agent read", () => {
  const registration = requestOf({ token: "edge" });
  const written = (parts: MemberParts): string[] =>
    memberStatusWrites(fleetMemberOf("eu-1", parts), hubFacts(), {}).map(({ ref }) =>
      describeRef(ref).replaceAll(home, "home"),
    );
  const granted = `ClusterRegistration.fleet.cattle.io/${workspace}/request-a`;

  it("grants the registration once the agent's answer is there", () => {
    expect(written({ state, children: [fleetCluster(), registration, answer] })).toContain(granted);
    expect(
      memberStatusWrites(
        fleetMemberOf("eu-1", { state, children: [fleetCluster(), registration, answer] }),
        hubFacts(),
        {},
      ).at(-1)?.status,
    ).toEqual({
      granted: true,
      clusterName: "eu-1",
    });
  });

  it.each<[string, MemberParts]>([
    ["before its answer is there", { state, children: [fleetCluster(), registration] }],
    ["once it is deleted", { state, children: [fleetCluster(), answer] }],
    ["where nobody was let in", { children: [fleetCluster(), registration, answer] }],
    [
      "where another one was made under its name",
      {
        state,
        children: [fleetCluster(), answer, { ...registration, metadata: { ...registration.metadata, uid: "another" } }],
      },
    ],
    ["before Fleet's Cluster is there", { state, children: [registration, answer] }],
  ])("grants no registration %s", (_when, parts) => {
    expect(written(parts)).not.toContain(granted);
  });

  it("writes nothing to a BundleDeployment that is being deleted", () => {
    const going = deployment("going", { deletionTimestamp: "2027-01-01T00:00:00Z" });
    expect(written({ children: [fleetCluster(), deployment("app"), going] }).slice(1)).toEqual([
      "BundleDeployment.fleet.cattle.io/home/app",
    ]);
  });
});
