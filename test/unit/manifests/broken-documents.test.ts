import { describe, expect, it } from "vitest";
import { createDocumentReader } from "../../../src/manifests/read-document.ts";
import { readYaml } from "../../../src/manifests/read-yaml.ts";

const readDocument = createDocumentReader();
const ours = "apiVersion: rollcall.dev/v1alpha1";

function read(text: string) {
  const [document] = readYaml(text).documents;
  if (document === undefined) throw new Error("no document");
  return readDocument(document);
}

describe("what a document declares that has an error", () => {
  const cluster = (metadata: string, ...more: string[]): string =>
    [`${ours}`, "kind: Cluster", `metadata: ${metadata}`, ...more, ""].join("\n");
  const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
  const clusternet = (kind: string, metadata: string, spec: string): string =>
    `apiVersion: clusters.clusternet.io/v1beta1\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

  it.each<{ reason: string; text: string; name: string | undefined; brokenObjects: readonly string[] | undefined }>([
    {
      reason: "a wrong field",
      text: cluster("{name: a}", "spec: {x: 1}"),
      name: "Cluster/a",
      brokenObjects: ["Cluster//a"],
    },
    {
      reason: "a namespace",
      text: cluster("{name: a, namespace: team}", "spec: {x: 1}"),
      name: "Cluster/team/a",
      brokenObjects: ["Cluster/team/a"],
    },
    {
      reason: "a namespace that is no text",
      text: cluster("{name: a, namespace: 5}"),
      name: "Cluster/a",
      brokenObjects: ["Cluster//a"],
    },
    {
      reason: "a predecessor",
      text: cluster("{name: a, namespace: team}", "spec: {x: 1, previousName: old}"),
      name: "Cluster/team/a",
      brokenObjects: ["Cluster/team/a", "Cluster/team/old"],
    },
    {
      reason: "a predecessor, and no namespace",
      text: cluster("{name: a}", "spec: {x: 1, previousName: old}"),
      name: "Cluster/a",
      brokenObjects: ["Cluster//a", "Cluster//old"],
    },
    {
      reason: "a request of Clusternet",
      text: clusternet("ClusterRegistrationRequest", "{name: r}", `{clusterId: ${id}, clusterName: c, x: 1}`),
      name: "ClusterRegistrationRequest/r",
      brokenObjects: ["ClusterRegistrationRequest//r", "Cluster//c"],
    },
    {
      reason: "a request of Clusternet without a cluster",
      text: clusternet("ClusterRegistrationRequest", "{name: r}", `{clusterId: ${id}, x: 1}`),
      name: "ClusterRegistrationRequest/r",
      brokenObjects: ["ClusterRegistrationRequest//r", "Cluster//r"],
    },
    {
      reason: "a ManagedCluster, whose namespace is no workspace",
      text: clusternet("ManagedCluster", "{name: m, namespace: n}", "{x: 1}"),
      name: "ManagedCluster/n/m",
      brokenObjects: ["ManagedCluster/n/m", "Cluster//m"],
    },
    { reason: "no name", text: cluster("{}"), name: undefined, brokenObjects: undefined },
    { reason: "an empty name", text: cluster('{name: ""}'), name: undefined, brokenObjects: undefined },
    { reason: "a name that is no text", text: cluster("{name: 5}"), name: undefined, brokenObjects: undefined },
    { reason: "metadata that are no map", text: cluster("[]"), name: undefined, brokenObjects: undefined },
  ])("with $reason: $brokenObjects", ({ text, name, brokenObjects }) => {
    const reading = read(text);
    expect(reading.object).toBeUndefined();
    expect(reading.findings).not.toEqual([]);
    expect(reading.name).toBe(name);
    expect(reading.brokenObjects).toEqual(brokenObjects);
    expect(reading.isUnidentified).toBe(name === undefined);
  });

  it("is uncertain where a key is there twice, and the rest of it is checked", () => {
    const { findings, isUnidentified, brokenObjects } = read(cluster("{name: a}", "spec: {x: 1}", "spec: {}"));
    expect(findings.map(({ code }) => code)).toEqual(["E_NOT_UNIQUE_KEY", "E_UNKNOWN_FIELD"]);
    expect(isUnidentified).toBe(true);
    expect(brokenObjects).toEqual(["Cluster//a"]);
  });

  it("is not checked where its YAML has another error", () => {
    const { findings, isUnidentified, brokenObjects } = read(cluster("{name: a}", "spec: {x: *y}"));
    expect(findings.map(({ code }) => code)).toEqual(["E_YAML"]);
    expect(isUnidentified).toBe(false);
    expect(brokenObjects).toEqual(["Cluster//a"]);
  });

  it("is known where it has a warning alone", () => {
    const { object, findings, ...rest } = read(cluster("{name: a, namespace: team}", "spec: {displayName: yes}"));
    expect(object?.metadata).toEqual({ name: "a", namespace: "team" });
    expect(findings.map(({ code }) => code)).toEqual(["W_YAML_AMBIGUOUS"]);
    expect(rest).toEqual({ name: "Cluster/team/a", isUnidentified: false });
  });
});
