import { describe, expect, it } from "vitest";
import { objectAt, objectsAt } from "../../../../src/core/read-json.ts";
import { clusternetProtocol } from "../../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { externalClusternetProtocol as protocol } from "../../../../src/join/clusternet/hub/external-protocol.ts";
import { clusterOfManagedCluster } from "../../../../src/manifests/convert-clusternet.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, memberOf, tokenSubject } from "../hub-scene.ts";
import { indexMembers } from "../../../../src/planning/member-index.ts";

const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const home = "clusternet-x7k2p";
const hub = hubFacts();

/** As `rollcall import clusternet` writes it. */
const file: KubeObject = {
  apiVersion: "clusters.clusternet.io/v1beta1",
  kind: "ManagedCluster",
  metadata: { name: "eu-1", namespace: home, labels: { env: "prod" }, annotations: { "rollcall.dev/adopt": "true" } },
  spec: { clusterId: id, syncMode: "Dual", taints: [{ key: "edge", effect: "NoSchedule" }] },
};
const hubTaint = { key: "clusters.clusternet.io/unschedulable", effect: "NoSchedule" };
const adopted = clusterOfManagedCluster(file).spec;

function managedIn(spec: Cluster["spec"], children: readonly KubeObject[] = []): KubeObject | undefined {
  const wanted = protocol.desiredObjects(memberOf("eu-1", { spec, children: [...children] }), hub);
  return wanted.find(({ kind }) => kind === "ManagedCluster");
}

describe("with Clusternet's own controllers", () => {
  it("a cluster that they made is a ManagedCluster in their namespace, which is left to them", () => {
    const member = memberOf("eu-1", { spec: adopted });
    const wanted = protocol.desiredObjects(member, hub);
    expect(wanted.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([["ManagedCluster", home]]);
    expect(protocol.exclusiveNames(member).map(({ name, namespace }) => [namespace, name])).toEqual([[home, "eu-1"]]);
  });

  it("a new cluster has a namespace and then a ManagedCluster by whose labels the approver finds them", () => {
    const spec = { protocol: "clusternet", clientID: id } as const;
    const [namespace, ...none] = protocol.desiredObjects(memberOf("eu-1", { spec }), hub);
    expect(none).toEqual([]);
    const marks = { "clusternet.io/created-by": "clusternet-agent", "clusters.clusternet.io/cluster-id": id };
    expect(namespace).toMatchObject({ kind: "Namespace", metadata: { labels: marks } });
    if (namespace === undefined) throw new Error("no namespace");
    expect(managedIn(spec, [namespace])).toMatchObject({
      metadata: { namespace: namespace.metadata.name, labels: marks },
    });
  });

  it("a ManagedCluster is of the type that the file declares, is deployed to as it declares, and begins with its Base", () => {
    const clusternet = { clusterType: "EdgeCluster", syncMode: "Push", clusterInitBaseName: "first" } as const;
    expect(managedIn({ ...adopted, clusternet: { ...adopted?.clusternet, ...clusternet } })?.["spec"]).toMatchObject(
      clusternet,
    );
  });

  it("nothing is written of a cluster whose agent is unknown, and the condition names what to do", () => {
    const member = memberOf("eu-1", { spec: { protocol: "clusternet" } });
    expect(protocol.desiredObjects(member, hub)).toEqual([]);
    expect(protocol.factsOf(member, hub).agent?.message).toMatch(/must declare spec\.clientID/u);
  });

  it("their taints stay beside those of the file, whose list is not written before it is known what the hub has", () => {
    expect(managedIn(adopted)?.["spec"]).not.toHaveProperty("taints");
    const live = managedIn(adopted);
    const spec = { ...objectAt(live, "spec"), taints: [hubTaint] };
    const seen = live === undefined ? [] : [{ ...live, spec }];
    expect(objectsAt(managedIn(adopted, seen), "spec", "taints").map(({ key }) => key)).toEqual(["edge", hubTaint.key]);
  });

  it("a token admits no agent and reports it; no agent is installed", () => {
    const token = tokenSubject("door", { protocol: "clusternet", clusterNames: ["eu-1"] });
    expect(protocol.desiredTokenObjects(token, hub)).toEqual([]);
    const [{ status } = { status: {} }] = protocol.tokenStatuses(token, indexMembers([]), hub);
    expect(objectsAt(status, "conditions")).toMatchObject([{ type: "Ready", status: "False", reason: "External" }]);
    const spec = { ...adopted, kubeConfigSecretRef: { name: "eu-1-kubeconfig" } };
    expect(protocol.pendingBootstrap(memberOf("eu-1", { spec }), hub)).toBeUndefined();
  });

  it("an agent that was installed for them is known by its ManagedCluster, also when Rollcall serves it from then on", () => {
    const clusternet = { bootstrapSecretRef: { name: "door" } } as const;
    const spec = { protocol: "clusternet", kubeConfigSecretRef: { name: "eu-1-kubeconfig" }, clusternet } as const;
    const namespace = protocol.exclusiveNames(memberOf("eu-1", { spec }))[0]?.namespace ?? "";
    const made = { ...file, metadata: { name: "eu-1", namespace }, spec: { clusterId: id, syncMode: "Pull" } };
    expect(managedIn(spec, [made])).toMatchObject({ spec: { clusterId: id } });
    const wanted = clusternetProtocol.desiredObjects(memberOf("eu-1", { spec, children: [made] }), hub);
    expect(wanted.find(({ kind }) => kind === "ManagedCluster")).toMatchObject({ spec: { clusterId: id } });
  });

  it.each([
    ["an account's token", { type: "kubernetes.io/service-account-token" }, {}],
    ["what Rollcall made", { type: "Opaque" }, { "rollcall.dev/token": "door" }],
  ])("a file cannot have %s sent to a cluster", (_what, { type }, labels) => {
    const clusternet = { bootstrapSecretRef: { name: "door" } } as const;
    const spec = { protocol: "clusternet", kubeConfigSecretRef: { name: "eu-1-kubeconfig" }, clusternet } as const;
    const data = { token: Buffer.from("secret").toString("base64") };
    const secretOf = (changes: object) => {
      const metadata = { name: "door", namespace: "fleet", labels: {} };
      return { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data, ...changes } as KubeObject;
    };
    const own = secretOf({ type, metadata: { name: "door", namespace: "fleet", labels } });
    const member = memberOf("eu-1", { spec, children: [own] });
    expect(protocol.pendingBootstrap(member, hub)).toBeUndefined();
    expect(protocol.whyNotInstalled(member)?.message).toContain("is the credential of another user");
    expect(protocol.pendingBootstrap(memberOf("eu-1", { spec, children: [secretOf({})] }), hub)).toBeDefined();
  });

  it("a leave removes the ManagedCluster, not their namespace, and names what stays", () => {
    const live = managedIn(adopted);
    const member = memberOf("eu-1", { spec: adopted, children: live === undefined ? [] : [live] });
    expect(protocol.offboardingSteps(member, hub)).toMatchObject([
      { kind: "delete", purpose: "forget", refs: [{ name: "eu-1", namespace: home }] },
    ]);
    expect(protocol.whatStaysDownstream(member)).toMatch(
      new RegExp(`^On the hub stays .*clusternet-${id}.*Its agent stays in the cluster`, "u"),
    );
  });
});

describe("Rollcall after Clusternet's own controllers", () => {
  it("keeps a ManagedCluster whose namespace it has not taken over yet", () => {
    const live = managedIn(adopted);
    const member = memberOf("eu-1", { spec: adopted, children: live === undefined ? [] : [live] });
    expect(clusternetProtocol.desiredObjects(member, hub).map(({ kind }) => kind)).toEqual([
      "Namespace",
      "ManagedCluster",
    ]);
  });

  it("takes away no answer that their approver gave", () => {
    const approved = (name: string, clusterLabels: object): KubeObject => ({
      apiVersion: "clusters.clusternet.io/v1beta1",
      kind: "ClusterRegistrationRequest",
      metadata: { name, uid: name },
      spec: { clusterId: id, clusterLabels },
      status: { result: "Approved" },
    });
    const requests = [approved("theirs", { env: "prod" }), approved("ours", { "rollcall.dev/workspace": "fleet" })];
    const collected = clusternetProtocol.registrations.expired(requests, indexMembers([]), hub);
    expect(collected.map(({ name }) => name)).toEqual(["ours"]);
  });
});
