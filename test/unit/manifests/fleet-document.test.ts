import { describe, expect, it } from "vitest";
import { describeDocument, fleetDocuments, keysOfDocument } from "../../../src/manifests/fleet-document.ts";
import { foreignText, inWorkspace } from "./check-texts.ts";
import { documentText, parseText } from "./read-text.ts";

const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const read = (text: string, defaultWorkspace: string | undefined = "fleet") => {
  const [document] = fleetDocuments([parseText(text)], defaultWorkspace);
  if (document === undefined) throw new Error("no document");
  return document;
};
const managed = foreignText(
  "clusters.clusternet.io/v1beta1",
  "ManagedCluster",
  { name: "eu-1", namespace: "x" },
  { clusterId: id, syncMode: "Pull" },
);
const request = foreignText(
  "clusters.clusternet.io/v1beta1",
  "ClusterRegistrationRequest",
  { name: `clusternet-${id}` },
  { clusterId: id, clusterName: "eu-1" },
);
const member = foreignText(
  "cluster.kubernetes-fleet.io/v1",
  "MemberCluster",
  { name: "eu-1" },
  { identity: { kind: "User", name: "a" } },
);
const fleetCluster = foreignText("fleet.cattle.io/v1alpha1", "Cluster", { name: "eu-1", namespace: "team-a" });
const rule = documentText("ClusterLabels", "l", "selector: {}", "labels: {a: b}");

describe("fleetDocuments: what a document is for the fleet", () => {
  it.each<[string, string, boolean, string | undefined]>([
    [documentText("Cluster", "eu-1"), "Cluster", false, "fleet"],
    [inWorkspace(documentText("Cluster", "eu-1"), "team-a"), "Cluster", false, "team-a"],
    [fleetCluster, "Cluster", true, "team-a"],
    [managed, "Cluster", true, "fleet"],
    [member, "Cluster", true, "fleet"],
    [request, "approval", true, "fleet"],
    [rule, "ClusterLabels", false, undefined],
    [inWorkspace(rule, "team-a"), "ClusterLabels", false, "team-a"],
    [documentText("ClusterGroup", "g", "selector: {}"), "ClusterGroup", false, "fleet"],
  ])("of %j is a %s", (text, role, isForeign, workspace) => {
    expect(read(text)).toMatchObject({ role, isForeign });
    expect(read(text).workspace).toBe(workspace);
  });
});

describe("keysOfDocument: what stays on the hub while a document has an error", () => {
  it.each<[string, readonly string[]]>([
    [documentText("Cluster", "eu-1"), ["Cluster/fleet/eu-1"]],
    [documentText("Cluster", "eu-1", "previousName: old"), ["Cluster/fleet/eu-1", "Cluster/fleet/old"]],
    [documentText("Cluster", "eu-1", "previousName: team-a/old"), ["Cluster/fleet/eu-1", "Cluster/team-a/old"]],
    [managed, ["ManagedCluster/fleet/eu-1", "Cluster/fleet/eu-1"]],
    [member, ["MemberCluster/fleet/eu-1", "Cluster/fleet/eu-1"]],
    [request, [`ClusterRegistrationRequest/fleet/clusternet-${id}`, "Cluster/fleet/eu-1"]],
    [rule, ["ClusterLabels//l"]],
  ])("of %j", (text, keys) => {
    expect(keysOfDocument(read(text))).toEqual(keys);
  });

  it("are named with the workspace where there is one", () => {
    expect(describeDocument(read(documentText("Cluster", "eu-1")))).toBe("Cluster/fleet/eu-1");
    expect(describeDocument(read(rule))).toBe("ClusterLabels/l");
  });
});
