import { describe, expect, it } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { documentText, parseText } from "./read-text.ts";

function check(texts: Readonly<Record<string, string>>) {
  const files = Object.entries(texts).map(([path, text]) => parseText(text, path));
  const { problems, fleet } = checkFleet(files, { defaultWorkspace: "fleet" });
  return {
    lines: problems.map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`),
    clusters: fleet.clusters.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`),
  };
}

function inWorkspace(text: string, workspace: string): string {
  return text.replace(/^ {2}name: .*$/mu, (line) => `${line}\n  namespace: ${workspace}`);
}

const cluster = (name: string, ...spec: string[]) => documentText("Cluster", name, ...spec);

describe("names of clusters", () => {
  it.each([
    { protocol: "rollcall", most: 63 },
    { protocol: "fleet", most: 63 },
    { protocol: "kubefleet", most: 50 },
    { protocol: "clusternet", most: 30 },
  ])("have at most $most characters with $protocol", ({ protocol, most }) => {
    const lines = (length: number): readonly string[] =>
      check({ "a.yaml": cluster("e".repeat(length), `protocol: ${protocol}`) }).lines;
    expect(lines(most)).toEqual([]);
    expect(lines(most + 1)).toEqual([
      expect.stringMatching(`metadata.name: has ${most + 1} characters, (at most|protocol ${protocol} allows) ${most}`),
    ]);
  });

  it("have nothing but lower-case letters, digits and hyphens, and begin and end with a letter or digit", () => {
    const lines = (name: string): readonly string[] => check({ "a.yaml": cluster(JSON.stringify(name)) }).lines;
    for (const name of ["a", "1", "eu-1", "e--1"]) expect(lines(name), name).toEqual([]);
    for (const name of ["eu.1", "-eu", "eu-"])
      expect(lines(name).join(), name).toMatch(
        /E_CLUSTER_NAMES metadata\.name: has a character|E_SCHEMA metadata\.name/u,
      );
  });

  it("are asked of clusters only", () => {
    const name = "e".repeat(63);
    expect(check({ "a.yaml": documentText("ClusterGroup", name, "selector: {}") }).lines).toEqual([]);
  });
});

describe("names of Fleet tokens", () => {
  it("are not those by which the hub installs agents", () => {
    const kubeconfig = "kubeConfigSecretRef: {name: eu-1-kubeconfig}";
    const member = cluster("eu-1", "protocol: fleet", kubeconfig);
    const theirs = (name: string): string =>
      `apiVersion: fleet.cattle.io/v1alpha1\nkind: ClusterRegistrationToken\nmetadata: {name: ${name}}\n`;
    const { lines, clusters } = check({
      "a.yaml": member,
      "b.yaml": theirs("import-token-eu-1"),
      "c.yaml": inWorkspace(documentText("ClusterRegistrationToken", "import-token-eu-1", "protocol: fleet"), "other"),
      "d.yaml": theirs("import-token-eu-2"),
    });
    expect(lines).toEqual([
      "b.yaml:3:18 E_CLUSTER_NAMES metadata.name: is the name of the token by which the hub installs the agent of cluster eu-1",
    ]);
    expect(clusters).toEqual(["fleet/eu-1"]);
    const own = documentText("ClusterRegistrationToken", "import-token-eu-1", "protocol: fleet");
    const foreign =
      "apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: eu-1}\nspec: {kubeConfigSecret: k}\n";
    expect(check({ "a.yaml": foreign, "b.yaml": own }).lines).toHaveLength(1);
    expect(check({ "a.yaml": cluster("eu-1", "protocol: fleet"), "b.yaml": own }).lines).toEqual([]);
    expect(check({ "a.yaml": foreign.replace("kubeConfigSecret: k", ""), "b.yaml": own }).lines).toEqual([]);
    // Of another protocol, neither the token nor the cluster.
    const ours = documentText("ClusterRegistrationToken", "import-token-eu-1");
    expect(check({ "a.yaml": member, "b.yaml": ours }).lines).toEqual([]);
    expect(check({ "a.yaml": cluster("eu-1", kubeconfig), "b.yaml": own }).lines).toEqual([]);
  });
});
