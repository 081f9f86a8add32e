import { describe, expect, it } from "vitest";
import { importTokenName } from "../../../src/model/dialects/fleet.ts";
import { checkTexts, clustersOf, foreignText, inWorkspace, messagesOf } from "./check-texts.ts";
import { documentText } from "./read-text.ts";

const cluster = (name: string, ...spec: string[]) => documentText("Cluster", name, ...spec);
const key = `sha256:${"a".repeat(64)}`;
const uuid = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const otherUuid = "0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11";
const managed = (name: string, namespace: string, clusterId = uuid) =>
  foreignText("clusters.clusternet.io/v1beta1", "ManagedCluster", { name, namespace }, { clusterId, syncMode: "Pull" });
const member = (name: string) =>
  foreignText("cluster.kubernetes-fleet.io/v1", "MemberCluster", { name }, { identity: { kind: "User", name: "a" } });
const request = (clusterId: string, clusterName: string) =>
  foreignText(
    "clusters.clusternet.io/v1beta1",
    "ClusterRegistrationRequest",
    { name: `clusternet-${clusterId}` },
    { clusterId, clusterName },
  );
const installedFleet = ["protocol: fleet", "kubeConfigSecretRef: {name: k}"];
const longName = "e".repeat(63);
const alike = importTokenName(longName).slice("import-token-".length);

describe("checkDuplicates: what two files cannot both declare", () => {
  it.each<[string, string, string, string]>([
    ["a Cluster of one workspace", cluster("eu-1"), cluster("eu-1"), "Cluster/fleet/eu-1"],
    ["a clientID of one workspace", cluster("a", "clientID: x"), cluster("b", "clientID: x"), "the same spec.clientID"],
    [
      "an agent key",
      cluster("a", `identity: {keys: ["${key}"]}`),
      inWorkspace(cluster("b", `identity: {keys: ["${key}"]}`), "team-a"),
      "the same agent key",
    ],
    [
      "a MemberCluster, whose name all workspaces share",
      cluster("a", "protocol: kubefleet"),
      inWorkspace(cluster("a", "protocol: kubefleet"), "team-a"),
      "MemberCluster a (one for all workspaces)",
    ],
    [
      "a MemberCluster and a Cluster of its protocol",
      member("a"),
      inWorkspace(cluster("a", "protocol: kubefleet"), "team-a"),
      "MemberCluster a (one for all workspaces)",
    ],
    ["the id of a ManagedCluster", managed("a", "x"), managed("b", "y"), "the same spec.clusterId"],
    [
      "the namespace of a ManagedCluster",
      managed("a", "x"),
      managed("b", "x", otherUuid),
      "the hub's namespace x for another cluster",
    ],
    [
      "a namespace of the hub",
      cluster("a", "protocol: clusternet", "clusternet: {clusterNamespace: x}"),
      inWorkspace(cluster("b", "protocol: clusternet", "clusternet: {clusterNamespace: x}"), "team-a"),
      "the hub's namespace x for another cluster",
    ],
    [
      "the hub's token for the Fleet agents of two clusters, to which both names are shortened",
      cluster(longName, ...installedFleet),
      cluster(alike, ...installedFleet),
      `a cluster whose agent the hub installs by the token import-token-${alike} (long names are shortened)`,
    ],
    ["an approval of one cluster", request(uuid, "eu-1"), request(otherUuid, "eu-1"), "an approval of cluster eu-1"],
    [
      "a token of one workspace",
      documentText("ClusterRegistrationToken", "edge"),
      documentText("ClusterRegistrationToken", "edge"),
      "ClusterRegistrationToken/fleet/edge",
    ],
    [
      "a Policy of all workspaces",
      documentText("Policy", "p", "rules: [{expression: 'true', message: m}]"),
      documentText("Policy", "p", "rules: [{expression: 'true', message: m}]"),
      "Policy/p",
    ],
  ])("%s", (...[, one, other, what]) => {
    const checked = checkTexts({ "a.yaml": one, "b.yaml": other });
    expect(messagesOf(checked).map((line) => line.replace(/:\d+(?=;)/u, ""))).toEqual([
      `a.yaml E_DUPLICATE ${what} is also declared in b.yaml; none of them is applied`,
      `b.yaml E_DUPLICATE ${what} is also declared in a.yaml; none of them is applied`,
    ]);
    expect(clustersOf(checked)).toEqual([]);
    expect(checked.fleet.tokens.length + checked.fleet.policies.length).toBe(0);
  });

  it.each<[string, string, string]>([
    ["a Cluster of another workspace", cluster("eu-1"), inWorkspace(cluster("eu-1"), "team-a")],
    [
      "a clientID of another workspace",
      cluster("a", "clientID: x"),
      inWorkspace(cluster("b", "clientID: x"), "team-a"),
    ],
    ["a name that another kind has", cluster("edge"), documentText("ClusterRegistrationToken", "edge")],
    [
      "clusters of KubeFleet and of another protocol",
      cluster("a", "protocol: kubefleet"),
      inWorkspace(cluster("a"), "team-a"),
    ],
    [
      "names that are shortened to one token of two workspaces",
      cluster(longName, ...installedFleet),
      inWorkspace(cluster(alike, ...installedFleet), "team-a"),
    ],
    [
      "such a name of a cluster whose agent asks by itself",
      cluster(longName, ...installedFleet),
      cluster(alike, "protocol: fleet"),
    ],
    ["ManagedClusters that differ in all", managed("a", "x"), managed("b", "y", otherUuid)],
    ["approvals of two clusters", request(uuid, "eu-1"), request(otherUuid, "eu-2")],
  ])("but two files may declare %s", (_what, one, other) => {
    expect(messagesOf(checkTexts({ "a.yaml": one, "b.yaml": other }))).toEqual([]);
  });

  it("is reported once for each file, with the number of further ones", () => {
    const id = "clientID: x";
    const texts = { "a.yaml": cluster("eu-1", id), "b.yaml": cluster("eu-1", id), "c.yaml": cluster("eu-1", id) };
    expect(messagesOf(checkTexts(texts))).toEqual([
      "a.yaml E_DUPLICATE Cluster/fleet/eu-1 is also declared in b.yaml:4 and 1 more; none of them is applied",
      "b.yaml E_DUPLICATE Cluster/fleet/eu-1 is also declared in a.yaml:4 and 1 more; none of them is applied",
      "c.yaml E_DUPLICATE Cluster/fleet/eu-1 is also declared in a.yaml:4 and 1 more; none of them is applied",
    ]);
  });
});
