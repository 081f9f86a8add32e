import { describe, expect, it } from "vitest";
import type { FleetContext } from "../../../src/manifests/check-fleet.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { documentText, parseText } from "./read-text.ts";

/** Checks files given as path and text. */
function check(texts: Readonly<Record<string, string>>, context: FleetContext = { defaultWorkspace: "fleet" }) {
  const files = Object.entries(texts).map(([path, text]) => parseText(text, path));
  const checked = checkFleet(files, context);
  return {
    ...checked,
    lines: checked.problems.map(
      ({ file, line, column, code, severity, message }) =>
        `${file}:${line}:${column} ${severity === "warning" ? "warning " : ""}${code} ${message}`,
    ),
    clusters: checked.fleet.clusters.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`),
  };
}

function inWorkspace(text: string, workspace: string): string {
  return text.replace(/^ {2}name: .*$/mu, (line) => `${line}\n  namespace: ${workspace}`);
}

const cluster = (name: string, ...spec: string[]) => documentText("Cluster", name, ...spec);

describe("checkFleet", () => {
  it("sorts documents into the fleet and fills the workspace in, but not that of rules", () => {
    const { fleet, problems } = check({
      "all.yaml": [
        inWorkspace(cluster("eu-1"), "team-a"),
        cluster("eu-2"),
        documentText("ClusterRegistrationToken", "edge"),
        documentText("ClusterGroup", "all", "selector: {}"),
        documentText("ClusterLabels", "gold", "selector: {}", "labels: {tier: gold}"),
        documentText("ClusterDefaults", "slow", "selector: {}", "deletionPolicy: Detach"),
        documentText("Policy", "house", "rules: [{expression: 'true', message: m}]"),
        "apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: old}\n",
        "apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: member}\nspec: {identity: {kind: User, name: agent}}\n",
      ].join("---\n"),
    });
    expect(problems).toEqual([]);
    const namesOf = (items: readonly { object: { metadata: { namespace?: string; name: string } } }[]) =>
      items.map(({ object: { metadata } }) => `${metadata.namespace ?? ""}/${metadata.name}`);
    const names = Object.fromEntries(
      (Object.entries(fleet) as [string, Parameters<typeof namesOf>[0]][]).map(([list, items]) => [
        list,
        namesOf(items),
      ]),
    );
    expect(names).toEqual({
      clusters: ["team-a/eu-1", "fleet/eu-2", "fleet/old", "fleet/member"],
      tokens: ["fleet/edge"],
      groups: ["fleet/all"],
      labelRules: ["/gold"],
      defaultRules: ["/slow"],
      policies: ["/house"],
      secrets: [],
      foreignObjects: ["fleet/old", "/member"],
    });
  });

  it("does not change what was parsed", () => {
    const file = parseText(cluster("eu-1"));
    const { fleet } = checkFleet([file], { defaultWorkspace: "fleet" });
    expect(fleet.clusters[0]?.object.metadata.namespace).toBe("fleet");
    expect(file.documents[0]?.object.metadata.namespace).toBeUndefined();
  });

  it("hands on the problems of files, and names what they declare with its workspace", () => {
    const { lines, brokenObjects } = check({ "a.yaml": cluster("eu-1", "x: 1") });
    expect(lines).toEqual(['a.yaml:6:3 E_UNKNOWN_FIELD spec.x: unknown field "x"']);
    expect([...brokenObjects]).toEqual(["Cluster/fleet/eu-1"]);
  });

  describe("workspaces", () => {
    it.each(["kube-system", "kube-public", "rollcall-system", "rollcall-public", "cattle-fleet-system", "daemon"])(
      "refuses %s",
      (namespace) => {
        const { lines, clusters, brokenObjects } = check(
          { "a.yaml": inWorkspace(cluster("eu-1"), namespace), "b.yaml": cluster("eu-2") },
          { defaultWorkspace: "fleet", daemonNamespace: "daemon" },
        );
        expect(lines).toEqual([
          `a.yaml:5:14 E_NAMESPACE metadata.namespace: ${namespace} is a system namespace, never a workspace`,
        ]);
        expect(clusters).toEqual(["fleet/eu-2"]);
        expect([...brokenObjects]).toEqual([`Cluster/${namespace}/eu-1`]);
      },
    );

    it("refuses namespaces that the repository does not have", () => {
      const { lines, clusters } = check(
        { "a.yaml": inWorkspace(cluster("eu-1"), "other"), "b.yaml": inWorkspace(cluster("eu-2"), "team-a") },
        { defaultWorkspace: "fleet", workspaces: ["fleet", "team-*"] },
      );
      expect(lines).toEqual([
        "a.yaml:5:14 E_NAMESPACE metadata.namespace: other is not a workspace of this repository (it has fleet, team-*)",
      ]);
      expect(clusters).toEqual(["team-a/eu-2"]);
    });

    it("refuses documents without workspace when there is no default, rules excepted", () => {
      const rule = documentText("ClusterLabels", "gold", "selector: {}", "labels: {tier: gold}");
      const { lines, fleet } = check({ "a.yaml": cluster("eu-1"), "b.yaml": rule }, {});
      expect(lines).toEqual([
        "a.yaml:3:1 E_NAMESPACE metadata.namespace: is missing, and the repository has no default workspace",
      ]);
      expect(fleet.labelRules).toHaveLength(1);
    });

    it("refuses a system namespace for a ManagedCluster", () => {
      const { lines } = check({
        "a.yaml": cluster("eu-1", "protocol: clusternet", "clusternet: {clusterNamespace: kube-system}"),
      });
      expect(lines).toEqual([expect.stringMatching(/^a\.yaml:7:34 E_NAMESPACE spec\.clusternet\.clusterNamespace: /u)]);
    });
  });

  describe("duplicates", () => {
    it("names both places, applies neither and keeps both from being removed", () => {
      const { lines, clusters, brokenObjects } = check({
        "a.yaml": cluster("eu-1"),
        "b.yaml": `# same\n${inWorkspace(cluster("eu-1"), "fleet")}`,
        "c.yaml": inWorkspace(cluster("eu-1"), "other"),
      });
      expect(lines).toEqual([
        "a.yaml:4:9 E_DUPLICATE Cluster/fleet/eu-1 is also declared in b.yaml:5; none of them is applied",
        "b.yaml:5:9 E_DUPLICATE Cluster/fleet/eu-1 is also declared in a.yaml:4; none of them is applied",
      ]);
      expect(clusters).toEqual(["other/eu-1"]);
      expect([...brokenObjects]).toEqual(["Cluster/fleet/eu-1"]);
    });

    it("counts further ones", () => {
      const { lines } = check({ "a.yaml": cluster("a"), "b.yaml": cluster("a"), "c.yaml": cluster("a") });
      expect(lines[2]).toBe(
        "c.yaml:4:9 E_DUPLICATE Cluster/fleet/a is also declared in a.yaml:4 and 1 more; none of them is applied",
      );
    });

    it("finds one cluster declared by two kinds", () => {
      const member =
        "apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata:\n  name: eu-1\nspec: {identity: {kind: User, name: agent}}\n";
      const { lines, brokenObjects } = check({ "a.yaml": cluster("eu-1"), "b.yaml": member });
      expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
        "a.yaml:4:9 E_DUPLICATE",
        "b.yaml:4:9 E_DUPLICATE",
      ]);
      expect([...brokenObjects]).toEqual(["Cluster/fleet/eu-1", "MemberCluster/fleet/eu-1"]);
    });

    it("finds one MemberCluster wanted by two workspaces", () => {
      const text = cluster("eu-1", "protocol: kubefleet");
      const { lines } = check({ "a.yaml": inWorkspace(text, "a"), "b.yaml": inWorkspace(text, "b") });
      expect(lines).toEqual([
        expect.stringMatching(/^a\.yaml:4:9 E_DUPLICATE MemberCluster eu-1 .* b\.yaml:4;/u),
        expect.stringMatching(/^b\.yaml:4:9 E_DUPLICATE MemberCluster eu-1 .* a\.yaml:4;/u),
      ]);
    });

    it("finds one client id in a workspace, and one agent key anywhere", () => {
      const digest = `sha256:${"0f".repeat(32)}`;
      const { lines } = check({
        "a.yaml": cluster("a", "clientID: one"),
        "b.yaml": cluster("b", "clientID: one"),
        "c.yaml": inWorkspace(cluster("c", "clientID: one", `identity: {keys: ["${digest}"]}`), "other"),
        "d.yaml": cluster("d", `identity: {keys: ["${digest}"]}`),
      });
      expect(lines).toEqual([
        "a.yaml:6:13 E_DUPLICATE the same spec.clientID is also declared in b.yaml:6; none of them is applied",
        "b.yaml:6:13 E_DUPLICATE the same spec.clientID is also declared in a.yaml:6; none of them is applied",
        "c.yaml:8:21 E_DUPLICATE the same agent key is also declared in d.yaml:6; none of them is applied",
        "d.yaml:6:21 E_DUPLICATE the same agent key is also declared in c.yaml:8; none of them is applied",
      ]);
    });

    it("finds rules of one name only in the same workspace", () => {
      const rule = documentText("ClusterLabels", "gold", "selector: {}", "labels: {tier: gold}");
      expect(check({ "a.yaml": rule, "b.yaml": inWorkspace(rule, "fleet") }).lines).toEqual([]);
      expect(check({ "a.yaml": rule, "b.yaml": rule }).lines).toHaveLength(2);
    });
  });

  describe("MemberClusters", () => {
    const member = (...spec: string[]): string =>
      [
        "apiVersion: cluster.kubernetes-fleet.io/v1beta1",
        "kind: MemberCluster",
        "metadata:",
        "  name: eu-1",
        ...spec,
      ].join("\n");
    const identity = "  identity: {kind: ServiceAccount, name: eu-1-hub-cluster-access, namespace: fleet-system}";

    it("are taken as KubeFleet's guide writes them", () => {
      const text = member("spec:", `${identity.slice(0, -1)}, apiGroup: ""}`, "  heartbeatPeriodSeconds: 60");
      const { lines, clusters } = check({ "a.yaml": text });
      expect(lines).toEqual([]);
      expect(clusters).toEqual(["fleet/eu-1"]);
    });

    it.each([
      ["no identity", ["spec: {}"], "a.yaml:5:1 E_SCHEMA spec.identity: is missing"],
      [
        "an account without its namespace",
        ["spec:", "  identity: {kind: ServiceAccount, name: a}"],
        "a.yaml:6:13 E_SCHEMA",
      ],
      ["an identity of no kind", ["spec:", "  identity: {kind: Robot, name: a}"], "a.yaml:6:20 E_SCHEMA"],
      ["a heartbeat too rare", ["spec:", identity, "  heartbeatPeriodSeconds: 601"], "a.yaml:7:27 E_SCHEMA"],
      [
        "a taint of another effect",
        ["spec:", identity, "  taints:", "  - {key: a, effect: NoExecute}"],
        "a.yaml:8:22 E_SCHEMA",
      ],
      [
        "a taint twice",
        ["spec:", identity, "  taints:", "  - {key: a, effect: NoSchedule}", "  - {key: a, effect: NoSchedule}"],
        "a.yaml:7:3 E_SCHEMA",
      ],
      ["a field that it has not", ["spec:", identity, "  state: Join"], "a.yaml:7:3 E_UNKNOWN_FIELD"],
      ["no such mode", ["spec:", identity, "  deleteOptions: {validationMode: Lax}"], "a.yaml:7:35 E_SCHEMA"],
    ] as const)("are refused with %s, where it stands", (_reason, spec, line) => {
      const { lines, clusters } = check({ "a.yaml": member(...spec) });
      expect(lines).toEqual([expect.stringContaining(line)]);
      expect(clusters).toEqual([]);
    });

    it("and Clusters of their protocol cannot have a token, nor an account beside a kubeconfig", () => {
      const { lines } = check({
        "a.yaml": documentText("ClusterRegistrationToken", "edge", "protocol: kubefleet"),
        "b.yaml": cluster(
          "eu-2",
          "protocol: kubefleet",
          "kubeConfigSecretRef: {name: k}",
          "kubefleet: {identity: {kind: User, name: a}}",
        ),
      });
      expect(lines).toEqual([
        expect.stringContaining("E_SCHEMA spec.protocol: KubeFleet's agents join because their cluster is declared"),
        expect.stringContaining("E_SCHEMA spec.kubefleet.identity: the hub installs agents with an account"),
      ]);
    });
  });

  describe("names", () => {
    it.each([
      { protocol: "rollcall", longest: 63 },
      { protocol: "fleet", longest: 63 },
      { protocol: "kubefleet", longest: 50 },
      { protocol: "clusternet", longest: 30 },
    ])("allow $longest characters for $protocol", ({ protocol, longest }) => {
      const good = cluster("a".repeat(longest), `protocol: ${protocol}`);
      expect(check({ "a.yaml": good }).lines).toEqual([]);
      if (longest === 63) return;
      const bad = cluster("a".repeat(longest + 1), `protocol: ${protocol}`);
      expect(check({ "a.yaml": bad }).lines).toEqual([
        expect.stringMatching(new RegExp(`^a\\.yaml:4:9 E_CLUSTER_NAMES metadata\\.name: has ${longest + 1}`, "u")),
      ]);
    });

    it("of foreign files must be names of a Cluster too", () => {
      const member =
        "apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata:\n  name: eu.1\nspec: {identity: {kind: User, name: agent}}\n";
      const id = "0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11";
      const request = `apiVersion: clusters.clusternet.io/v1beta1\nkind: ClusterRegistrationRequest\nmetadata: {name: clusternet-${id}}\nspec:\n  clusterId: ${id}\n  clusterName: ${"a".repeat(31)}\n`;
      expect(check({ "a.yaml": member, "b.yaml": request }).lines).toEqual([
        "a.yaml:4:9 E_CLUSTER_NAMES metadata.name: has a character that the name of a cluster cannot have",
        expect.stringMatching(/^b\.yaml:6:16 E_SCHEMA spec\.clusterName: has 31 characters/u),
      ]);
    });

    it("come with what else KubeFleet cannot carry", () => {
      const text = cluster("a", "protocol: kubefleet", "taints: [{key: a, effect: NoExecute}]");
      expect(check({ "a.yaml": text }).lines).toEqual([
        "a.yaml:7:29 E_SCHEMA spec.taints[0].effect: KubeFleet knows NoSchedule only",
      ]);
    });
  });

  describe("labels", () => {
    it("A21 refuses labels that switch off admission, and those of the hub, wherever files set labels", () => {
      const { lines } = check({
        "a.yaml": cluster("a")
          .replace("spec", "")
          .concat("  labels: {pod-security.kubernetes.io/enforce: privileged}\n"),
        "b.yaml": documentText("ClusterLabels", "b", "selector: {}", "labels: {x.rollcall.dev/y: z}"),
        "c.yaml": documentText("ClusterRegistrationToken", "c", "clusterLabels: {rollcall.dev/cluster: z}"),
      });
      expect(lines.map((line) => line.split(":").slice(0, 3).join(":"))).toEqual([
        "a.yaml:5:12 E_LABEL_RESERVED metadata.labels",
        "b.yaml:7:12 E_LABEL_RESERVED spec.labels",
        "c.yaml:6:19 E_LABEL_RESERVED spec.clusterLabels",
      ]);
    });

    it("lets files set labels of Kubernetes, but no agent", () => {
      const { lines } = check({
        "a.yaml": `${cluster("a")}  labels: {topology.kubernetes.io/region: eu}\n`,
        "b.yaml": documentText("ClusterRegistrationToken", "b", "agentLabels: [site, topology.kubernetes.io/region]"),
      });
      expect(lines).toEqual([
        "b.yaml:6:23 E_LABEL_RESERVED spec.agentLabels[1]: no agent may set topology.kubernetes.io/region",
      ]);
    });

    it("lets files set the annotations that are theirs", () => {
      const { lines } = check({
        "a.yaml": `${cluster("a")}  annotations: {rollcall.dev/adopt: "true", example.com/x: z}\n`,
        "b.yaml": `${cluster("b")}  annotations: {rollcall.dev/revoked: "x"}\n`,
      });
      expect(lines).toEqual([
        "b.yaml:5:17 E_LABEL_RESERVED metadata.annotations: rollcall.dev/revoked cannot be set here: it is written by the hub or by a command",
      ]);
    });
  });

  describe("references", () => {
    it("warns of names in a Fleet token's annotation that let no cluster in again", () => {
      const token = (names: string) =>
        "apiVersion: fleet.cattle.io/v1alpha1\nkind: ClusterRegistrationToken\n" +
        `metadata: {name: t, annotations: {rollcall.dev/cluster-names: "${names}"}}\nspec: {ttl: 240h}\n`;
      const warningsOf = (names: string) => check({ "a.yaml": cluster("eu-1"), "t.yaml": token(names) }).lines;
      expect(warningsOf("eu-1")).toEqual([]);
      const place = 't.yaml:3:63 warning E_REFERENCE metadata.annotations["rollcall.dev/cluster-names"]:';
      expect(warningsOf("eu-1, eu-11")).toEqual([`${place} no file declares a cluster eu-11, did you mean eu-1?`]);
      expect(warningsOf("eu-*")).toEqual([
        `${place} "eu-*" admits no cluster again: only a name that is written out does`,
      ]);
    });

    it("warns of names that no file declares", () => {
      const { lines, fleet } = check({
        "a.yaml": cluster("eu-1"),
        "b.yaml": cluster("eu-2", "nonsense: 1"),
        "c.yaml": documentText("ClusterRegistrationToken", "c", "clusterNames: [eu-1, eu-2, 'edge-*', eu-3]"),
        "d.yaml": documentText("ClusterGroup", "d", "selector: {names: [eu-11]}"),
      });
      expect(lines.filter((line) => line.includes("warning"))).toEqual([
        "c.yaml:6:40 warning E_REFERENCE spec.clusterNames[3]: no file declares a cluster eu-3, did you mean eu-1?",
        "d.yaml:6:22 warning E_REFERENCE spec.selector.names[0]: no file declares a cluster eu-11, did you mean eu-1?",
      ]);
      expect(fleet.tokens).toHaveLength(1);
    });

    it.each([
      {
        reason: "is declared",
        spec: "previousName: old",
        problem: /E_REFERENCE spec\.previousName: fleet\/old is still/u,
      },
      { reason: "is its own", spec: "previousName: new", problem: /E_REFERENCE .* is this cluster itself/u },
      {
        reason: "is in a foreign workspace",
        spec: "previousName: kube-system/x",
        problem: /E_REFERENCE_OUTSIDE spec\.previousName: kube-system is a system namespace/u,
      },
    ])("refuses a former name that $reason", ({ spec, problem }) => {
      const { lines, clusters } = check({ "a.yaml": cluster("old"), "b.yaml": cluster("new", spec) });
      expect(lines).toEqual([expect.stringMatching(problem)]);
      expect(clusters).toEqual(["fleet/old"]);
    });

    it("refuses two successors of one name, and renames by foreign protocols", () => {
      const { lines } = check({
        "a.yaml": cluster("a", "previousName: old"),
        "b.yaml": cluster("b", "previousName: fleet/old"),
        "c.yaml": cluster("c", "previousName: older", "protocol: fleet"),
      });
      expect(lines).toEqual([
        "b.yaml:6:17 E_REFERENCE spec.previousName: fleet/old is the former name of another cluster too (a.yaml:6)",
        "c.yaml:6:17 E_REFERENCE spec.previousName: clusters of protocol fleet cannot be renamed or moved",
      ]);
    });

    it("accepts a rename and a move", () => {
      const { lines } = check({
        "a.yaml": cluster("a", "previousName: old"),
        "b.yaml": cluster("b", "previousName: team-a/b"),
      });
      expect(lines).toEqual([]);
    });
  });

  it("uses the place it knows when a document is older than its file's text", () => {
    const old = parseText(`# one\n# two\n${cluster("a")}`, "a.yaml");
    const broken = { ...parseText(": : :", "a.yaml"), blobId: "new", documents: old.documents };
    const other = parseText(cluster("a"), "b.yaml");
    const { problems } = checkFleet([broken, other], { defaultWorkspace: "fleet" });
    expect(problems.filter(({ code }) => code === "E_DUPLICATE").map(({ file, line }) => `${file}:${line}`)).toEqual([
      "a.yaml:3",
      "b.yaml:4",
    ]);
  });
});
