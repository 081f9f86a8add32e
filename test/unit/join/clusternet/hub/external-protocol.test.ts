import { describe, expect, it } from "vitest";
import { objectsAt } from "../../../../../src/core/read-json.ts";
import { externalClusternetProtocol as protocol } from "../../../../../src/join/clusternet/hub/external-protocol.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { clusternetMemberOf, home, id, managedOf, revoked, time, withKubeconfig } from "../clusternet-scene.ts";

const hub = hubFacts();
const namespace: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: home } };
const bootstrapSecretRef = { name: "door" };
const theirs = { clientID: id, clusternet: { clusterNamespace: "clusternet-x7k2p" } };
const kindsOf = (parts: MemberParts): string[] =>
  protocol.desiredObjects(clusternetMemberOf(parts), hub).map(({ kind }) => kind);

describe("desiredObjects: beside Clusternet's own controllers", () => {
  it.each<[string, MemberParts, readonly string[]]>([
    ["whose id is known, before its namespace is there", { spec: { clientID: id } }, ["Namespace"]],
    ["whose namespace is there", { spec: { clientID: id }, children: [namespace] }, ["Namespace", "ManagedCluster"]],
    ["whose namespace is theirs", { spec: theirs }, ["ManagedCluster"]],
    [
      "whose agent the hub installs, and made itself known",
      { spec: { ...withKubeconfig, clusternet: { bootstrapSecretRef } }, state: { clientID: id } },
      ["ManagedCluster"],
    ],
    [
      "with a kubeconfig, without a credential for an agent",
      { spec: withKubeconfig, state: { clientID: id } },
      ["Namespace"],
    ],
    [
      "whose agent the hub installs, with the id of the file",
      { spec: { ...withKubeconfig, clientID: id, clusternet: { bootstrapSecretRef } } },
      ["Namespace"],
    ],
    ["whose id nobody knows", {}, []],
  ])("of a cluster %s: %j", (_which, parts, expected) => {
    expect(kindsOf(parts)).toEqual(expected);
  });

  it("claims a namespace only where it makes it", () => {
    const names = (parts: MemberParts) =>
      protocol.exclusiveNames(clusternetMemberOf(parts)).map(({ type }) => type.kind);
    expect(names({ spec: { clientID: id } })).toEqual(["ManagedCluster", "Namespace"]);
    expect(names({ spec: theirs })).toEqual(["ManagedCluster"]);
  });

  describe("writes taints", () => {
    const own = { key: "edge", effect: "NoSchedule" } as const;
    const hubs = { key: "clusters.clusternet.io/unschedulable", effect: "NoSchedule" };
    const taintsOf = (declared: (typeof own)[], live?: readonly object[]): unknown => {
      const seen = live === undefined ? [] : [managedOf({}, { namespace: "clusternet-x7k2p" })];
      const children = seen.map((child) => ({ ...child, spec: { clusterId: id, taints: live } }));
      const [wanted] = protocol.desiredObjects(
        clusternetMemberOf({ spec: { ...theirs, taints: declared }, children }),
        hub,
      );
      return objectsAt(wanted, "spec", "taints");
    };

    it.each([
      ["of the file alone, where theirs are not there", [own], [own], [own]],
      ["beside theirs", [own], [hubs, own], [own, hubs]],
      ["of nobody where the file has none", [], [hubs], []],
      ["of nobody before it is known what stands there", [own], undefined, []],
    ])("%s", (_how, declared, live, expected) => {
      expect(taintsOf(declared, live)).toEqual(expected);
    });
  });
});

describe("a leave beside Clusternet's own controllers", () => {
  const memo = memberStateObject(workspace, "eu-1", {});
  const stepsOf = (parts: MemberParts): unknown[] =>
    protocol
      .offboardingSteps(clusternetMemberOf(parts), hub)
      .map((step) => ("refs" in step ? [step.kind, ...step.refs.map(({ name }) => name).slice(0, 3)] : step.kind));

  it("forgets the ManagedCluster, a namespace that is ours and the state last", () => {
    expect(stepsOf({ spec: { clientID: id }, children: [managedOf(), namespace, memo] })).toEqual([
      ["delete", "eu-1", home, "rollcall-cluster-eu-1"],
    ]);
    const elsewhere = { ...namespace, metadata: { name: "clusternet-x7k2p" } };
    expect(stepsOf({ spec: theirs, children: [elsewhere, memo] })).toEqual([["delete", "rollcall-cluster-eu-1"]]);
    expect(stepsOf({})).toEqual([]);
  });

  it("removes the agent first that the hub installed", () => {
    const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0) };
    const [first, second] = stepsOf({ spec: withKubeconfig, state: { install }, children: [memo] });
    expect(first).toEqual(expect.arrayContaining(["uninstall", "clusternet-agent"]));
    expect(second).toEqual(["delete", "rollcall-cluster-eu-1"]);
  });

  it("names what stays on the hub and downstream", () => {
    const stays = (parts: MemberParts) => protocol.whatStaysDownstream(clusternetMemberOf(parts)) ?? "";
    expect(stays({})).toContain("ClusterRoleBinding its request, and its account.");
    expect(stays({ spec: theirs })).toContain(`Namespace clusternet-x7k2p, ClusterRegistrationRequest`);
    expect(stays({ spec: { clientID: id } })).not.toContain("Namespace ");
    expect(stays({ spec: { clientID: id } })).toContain("Its agent stays in the cluster");
    expect(stays({ spec: withKubeconfig })).not.toContain("Its agent stays");
  });
});

describe("factsOf: beside Clusternet's own controllers", () => {
  it("reports that a credential cannot be ended here, and what a file must declare", () => {
    const facts = (parts: MemberParts) => protocol.factsOf(clusternetMemberOf(parts), hub);
    expect(facts({}).credentials).toMatchObject({ status: "Unknown", reason: "External" });
    expect(facts({}).credentials.message).not.toContain("cannot end it");
    expect(facts({ annotations: revoked }).credentials.message).toContain("delete its account on the hub");
    expect(facts({}).agent.message).toContain("must declare spec.clientID");
    expect(facts({ spec: { clientID: id } }).agent.message).toContain("administrator of Clusternet");
  });

  it("watches the Secret that a file names, and nothing else", () => {
    const names = (parts: MemberParts) => protocol.namedSecrets(clusternetMemberOf(parts).cluster);
    expect(names({ spec: { clusternet: { bootstrapSecretRef } } })).toEqual(["door"]);
    expect(names({})).toEqual([]);
  });
});
