import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { validateDocument } from "../../../src/manifests/validate-document.ts";
import { documentText, parseText } from "./read-text.ts";

const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const otherId = "0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11";

function check(texts: Readonly<Record<string, string>>) {
  const files = Object.entries(texts).map(([path, text]) => parseText(text, path));
  const checked = checkFleet(files, { defaultWorkspace: "fleet" });
  return {
    clusters: checked.fleet.clusters.map(({ object }) => object),
    lines: checked.problems.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`),
    broken: [...checked.brokenObjects],
  };
}

const foreign = (kind: string, metadata: object, spec: object) =>
  JSON.stringify({ apiVersion: "clusters.clusternet.io/v1beta1", kind, metadata, spec });
const managed = (spec: object = {}, metadata: object = {}) =>
  foreign("ManagedCluster", { name: "eu-1", ...metadata }, { clusterId: id, syncMode: "Dual", ...spec });
const approval = (spec: object = {}, name = `clusternet-${id}`) =>
  foreign("ClusterRegistrationRequest", { name }, { clusterId: id, clusterName: "eu-1", ...spec });

describe("a file of a ManagedCluster", () => {
  it("is a Cluster in the default workspace, its namespace the one that the hub keeps it in", () => {
    const taints = [{ key: "a", effect: "NoSchedule" }];
    const labels = { env: "prod", "clusters.clusternet.io/cluster-id": id, "node.clusternet.io/zone": "a" };
    const text = managed({ clusterType: "EdgeCluster", taints }, { namespace: "clusternet-dhxfs", labels });
    const { clusters, lines } = check({ "a.yaml": text });
    expect(lines).toEqual([]);
    expect(clusters).toEqual([
      {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata: { name: "eu-1", namespace: "fleet", labels: { env: "prod" } },
        spec: {
          protocol: "clusternet",
          clientID: id,
          taints,
          clusternet: { clusterType: "EdgeCluster", syncMode: "Dual", clusterNamespace: "clusternet-dhxfs" },
        },
      },
    ]);
    expect(validateDocument("Cluster", clusters[0] as unknown as JsonObject)).toEqual([]);
  });

  it("keeps its annotations, and the labels that only resemble Clusternet's", () => {
    const annotations = { "a.b/c": "d" };
    const labels = { "my.clusternet.io/x": "1", "clusternet.io/y": "2", "clusters.clusternet.io.example.com/z": "3" };
    const { clusters } = check({ "a.yaml": managed({}, { labels, annotations }) });
    const { "clusternet.io/y": _theirs, ...own } = labels;
    expect(clusters.map(({ metadata }) => metadata)).toStrictEqual([
      { name: "eu-1", namespace: "fleet", labels: own, annotations },
    ]);
    expect(clusters[0]?.spec?.clusternet).toStrictEqual({ syncMode: "Dual" });
    const bare = check({ "a.yaml": managed() }).clusters;
    expect(bare.map(({ metadata }) => metadata)).toStrictEqual([{ name: "eu-1", namespace: "fleet" }]);
  });

  it("that kubectl printed while the cluster was not ready keeps no workload away for ever", () => {
    const own = { key: "edge", effect: "NoSchedule" };
    const timeAdded = "2026-06-30T08:55:14Z";
    const theirs = ["unschedulable", "initialization"].map((name) => ({
      key: `clusters.clusternet.io/${name}`,
      value: "ClusterStatusUnknown",
      effect: "NoSchedule",
      timeAdded,
    }));
    const { clusters, lines } = check({
      "a.yaml": managed({ taints: [...theirs, own] }),
      "b.yaml": managed({ taints: theirs, clusterId: otherId }, { name: "eu-2" }),
    });
    expect(lines).toEqual([]);
    expect(clusters.map(({ spec }) => spec?.taints)).toEqual([[own], undefined]);
  });

  it("has a wrong taint reported in its place, also behind those of the hub", () => {
    const theirs = { key: "clusters.clusternet.io/unschedulable", effect: "NoSchedule" };
    const taints = [theirs, { key: "edge", effect: "NoSchedule" }, theirs, { key: "-", effect: "NoSchedule" }];
    const metadata = "metadata: {name: eu-1}";
    const lines = taints.map((taint) => `  - ${JSON.stringify(taint)}`);
    const text = `apiVersion: clusters.clusternet.io/v1beta1\nkind: ManagedCluster\n${metadata}\nspec:\n  clusterId: ${id}\n  syncMode: Dual\n  taints:\n${lines.join("\n")}\n`;
    expect(check({ "a.yaml": text }).lines).toEqual([expect.stringMatching(/^a\.yaml:11 E_\w+ spec\.taints\[3\]/u)]);
  });

  it("cannot have the id of another cluster", () => {
    const copied = check({
      "a.yaml": managed({}, { namespace: "clusternet-a" }),
      "b.yaml": managed({}, { name: "eu-2", namespace: "clusternet-b" }),
    });
    expect(copied.lines).toEqual([
      expect.stringMatching(/^a\.yaml:1 E_DUPLICATE the same spec\.clusterId is also declared in b\.yaml:1/u),
      expect.stringMatching(/^b\.yaml:1 E_DUPLICATE the same spec\.clusterId is also declared in a\.yaml:1/u),
    ]);
    expect(copied.clusters).toEqual([]);
    const text = documentText("Cluster", "eu-2", "protocol: clusternet", `clientID: ${id}`);
    const { lines } = check({ "a.yaml": managed(), "b.yaml": text });
    expect(lines.join("\n")).toMatch(
      /^a\.yaml:1 E_DUPLICATE the same spec\.clusterId .*\nb\.yaml:.* the same spec\.clientID /u,
    );
  });

  it("keeps the cluster that it declared when it has an error", () => {
    const { lines, broken } = check({
      "a.yaml": managed({ clusterId: "nonsense" }, { namespace: "clusternet-dhxfs" }),
    });
    expect(lines).toEqual([expect.stringMatching(/^a\.yaml:1 E_SCHEMA spec\.clusterId: "nonsense" is not allowed/u)]);
    expect(broken).toContain("Cluster/fleet/eu-1");
    const unreadable = `${managed({}, { namespace: "clusternet-dhxfs", labels: 5 })}`;
    expect(check({ "a.yaml": unreadable }).broken).toContain("Cluster/fleet/eu-1");
  });

  it.each([
    {
      reason: "an unknown field",
      spec: { more: 1 },
      line: /E_UNKNOWN_FIELD spec\.more: unknown field/u,
    },
    {
      reason: "another mode",
      spec: { syncMode: "Sometimes" },
      line: /E_SCHEMA spec\.syncMode: "Sometimes" is not one of/u,
    },
    { reason: "no id", spec: { clusterId: undefined }, line: /E_SCHEMA spec\.clusterId: is missing/u },
  ])("is refused with $reason", ({ spec, line }) => {
    expect(check({ "a.yaml": managed(spec) }).lines).toEqual([expect.stringMatching(line)]);
  });

  it("cannot have a system namespace, nor that of another", () => {
    expect(check({ "a.yaml": managed({}, { namespace: "kube-system" }) }).lines).toEqual([
      expect.stringMatching(/E_NAMESPACE metadata\.namespace: kube-system is a system namespace/u),
    ]);
    const text = documentText("Cluster", "eu-2", "protocol: clusternet", "clusternet: {clusterNamespace: mine}");
    const { lines } = check({ "a.yaml": managed({}, { namespace: "mine" }), "b.yaml": text });
    expect(lines).toHaveLength(2);
    expect(lines.join()).toMatch(/E_DUPLICATE the hub's namespace mine for another cluster is also declared/u);
  });
});

describe("a file of a request", () => {
  it("admits a cluster that another file declares", () => {
    const text = documentText("Cluster", "eu-1", "protocol: clusternet");
    const { clusters, lines } = check({ "a.yaml": text, "b.yaml": approval() });
    expect(lines).toEqual([]);
    expect(clusters.map(({ metadata, spec }) => [metadata.name, spec?.clientID])).toEqual([["eu-1", id]]);
  });

  it("declares a cluster that no other file does, without what names the token", () => {
    const clusterLabels = { env: "dev", "rollcall.dev/workspace": "fleet", "rollcall.dev/token": "door" };
    const { clusters, lines } = check({ "a.yaml": approval({ clusterLabels, syncMode: "Pull" }) });
    expect(lines).toEqual([]);
    expect(clusters).toMatchObject([
      {
        metadata: { name: "eu-1", namespace: "fleet", labels: { env: "dev" } },
        spec: { protocol: "clusternet", clientID: id, clusternet: { syncMode: "Pull" } },
      },
    ]);
    expect(Object.keys(clusters[0]?.metadata.labels ?? {})).toEqual(["env"]);
  });

  it.each(["rollcall.dev/repository", "rollcall.dev/cluster", "pod-security.kubernetes.io/enforce"])(
    "A254 gives the cluster no label that its agent proposed and no file may set: %s",
    (key) => {
      const { clusters, lines, broken } = check({ "a.yaml": approval({ clusterLabels: { env: "dev", [key]: "a" } }) });
      expect(lines).toEqual([
        expect.stringContaining(`E_LABEL_RESERVED spec.clusterLabels: ${key} cannot be set here`),
      ]);
      expect(clusters).toEqual([]);
      expect(broken).toContain("Cluster/fleet/eu-1");
    },
  );

  it("gives the cluster its annotations, and has a name that Clusternet allows", () => {
    const annotated = JSON.parse(approval()) as { metadata: object };
    const text = JSON.stringify({ ...annotated, metadata: { ...annotated.metadata, annotations: { "a.b/c": "d" } } });
    const { clusters } = check({ "a.yaml": text });
    expect(clusters.map(({ metadata }) => metadata)).toStrictEqual([
      { name: "eu-1", annotations: { "a.b/c": "d" }, namespace: "fleet" },
    ]);
    expect(check({ "a.yaml": approval({ clusterName: "e".repeat(31) }) }).lines).toEqual([
      expect.stringMatching(/E_SCHEMA spec\.clusterName: has 31 characters, at most 30 are allowed/u),
    ]);
    expect(check({ "a.yaml": approval({ clusterName: "e".repeat(30) }) }).lines).toEqual([]);
  });

  it.each([
    {
      reason: "the name of another request",
      text: approval({}, `clusternet-${otherId}`),
      line: /metadata\.name: is not that/u,
    },
    { reason: "no cluster", text: approval({ clusterName: undefined }), line: /spec\.clusterName: is missing/u },
    { reason: "an unknown field", text: approval({ approve: true }), line: /E_UNKNOWN_FIELD spec\.approve/u },
  ])("is refused with $reason", ({ text, line }) => {
    expect(check({ "a.yaml": text }).lines).toEqual([expect.stringMatching(line)]);
  });

  it("may not contradict what declares the cluster, which stays as it was", () => {
    const other = documentText("Cluster", "eu-1", "protocol: clusternet", `clientID: ${otherId}`);
    const { lines, clusters, broken } = check({ "a.yaml": other, "b.yaml": approval() });
    expect(lines).toEqual(["b.yaml:1 E_SCHEMA spec.clusterId: eu-1 has another id in a.yaml:4"]);
    expect(clusters.map(({ spec }) => spec?.clientID)).toEqual([otherId]);
    expect(broken).toContain("Cluster/fleet/eu-1");
    const fleet = documentText("Cluster", "eu-1", "protocol: fleet");
    expect(check({ "a.yaml": fleet, "b.yaml": approval() }).lines).toEqual([
      "b.yaml:1 E_SCHEMA spec.clusterName: eu-1 is declared with another protocol in a.yaml:4",
    ]);
  });

  it("is one for each cluster", () => {
    const second = approval({ clusterId: otherId }, `clusternet-${otherId}`);
    const { lines } = check({ "a.yaml": approval(), "b.yaml": second });
    expect(lines).toEqual([
      "a.yaml:1 E_DUPLICATE an approval of cluster eu-1 is also declared in b.yaml:1; none of them is applied",
      "b.yaml:1 E_DUPLICATE an approval of cluster eu-1 is also declared in a.yaml:1; none of them is applied",
    ]);
  });
});

describe("a token of Clusternet", () => {
  it("writes out the names of its clusters, since each has a credential of its own", () => {
    const token = (...spec: string[]) =>
      documentText("ClusterRegistrationToken", "door", "protocol: clusternet", ...spec);
    expect(check({ "a.yaml": token() }).lines).toEqual([
      expect.stringMatching(/E_SCHEMA spec\.clusterNames: is missing: with Clusternet each cluster has a credential/u),
    ]);
    const { lines } = check({ "a.yaml": token(`clusterNames: [eu-1, "eu-*", ${"x".repeat(31)}]`) });
    expect(lines).toEqual([
      expect.stringMatching(/spec\.clusterNames\[1\]: "eu-\*" is a pattern for many clusters/u),
      expect.stringMatching(/spec\.clusterNames\[2\]: .* is no name that Clusternet allows/u),
    ]);
  });

  it("is needed where an id is no id", () => {
    const text = documentText("Cluster", "eu-1", "protocol: clusternet", "clientID: nonsense");
    expect(check({ "a.yaml": text }).lines).toEqual([
      expect.stringMatching(/E_SCHEMA spec\.clientID: is no id of a Clusternet agent/u),
    ]);
  });
});
