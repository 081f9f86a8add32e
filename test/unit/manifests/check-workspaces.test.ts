import { describe, expect, it } from "vitest";
import type { WorkspaceRules } from "../../../src/manifests/check-workspaces.ts";
import { refusalOfWorkspace } from "../../../src/manifests/check-workspaces.ts";
import { checkTexts, clustersOf, foreignText, inWorkspace, messagesOf } from "./check-texts.ts";
import { documentText } from "./read-text.ts";

describe("refusalOfWorkspace: which namespaces may be a workspace", () => {
  it.each<[string, WorkspaceRules, string | undefined]>([
    ["fleet", {}, undefined],
    ["kube-system", {}, "is a system namespace"],
    ["kube-x", {}, "is a system namespace"],
    ["kube", {}, undefined],
    ["rollcall-system", {}, "is a system namespace"],
    ["rollcall-public", {}, "is a system namespace"],
    ["rollcall-team", {}, undefined],
    ["cattle-system", {}, "is a system namespace"],
    ["cattle-fleet-clusters-system", {}, "is a system namespace"],
    ["fleet-system", {}, "is a system namespace"],
    ["fleet-member-eu-1", {}, "is a system namespace"],
    ["clusternet-system", {}, "is a system namespace"],
    ["own", { daemonNamespace: "own" }, "is a system namespace"],
    ["own", { daemonNamespace: "own", workspaces: ["*"] }, "is a system namespace"],
    ["kube-system", { workspaces: ["*"], limit: ["*"] }, "is a system namespace"],
    ["team-a", { workspaces: ["team-*"] }, undefined],
    ["team-a", { workspaces: ["other", "team-*"] }, undefined],
    ["ops", { workspaces: ["team-*"] }, "is not a workspace of this repository (it has team-*)"],
    ["ops", { workspaces: [] }, "is not a workspace of this repository (it has none)"],
    ["ops", { limit: ["team-*", "dev"] }, "is not a workspace of this daemon (it has team-*, dev)"],
    ["team-a", { workspaces: ["team-*"], limit: ["ops"] }, "is not a workspace of this daemon"],
    ["team-a", { workspaces: ["team-*"], limit: ["team-a"] }, undefined],
  ])("%s with %j: %s", (namespace, rules, expected) => {
    const refusal = refusalOfWorkspace(namespace, rules);
    if (expected === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toContain(`${namespace} ${expected}`);
  });
});

describe("checkWorkspaces: documents outside of the workspaces", () => {
  const rule = documentText("ClusterLabels", "gold", "selector: {}", "labels: {tier: gold}");
  const defaults = documentText("ClusterDefaults", "slow", "selector: {}", "deletionPolicy: Detach");
  const policy = documentText("Policy", "house", "rules: [{expression: 'true', message: m}]");

  it("are rules of all workspaces where they name none, and nothing else", () => {
    const texts = { "a.yaml": rule, "b.yaml": defaults, "c.yaml": policy };
    const { fleet, problems } = checkTexts(texts, {});
    expect(problems).toEqual([]);
    expect([fleet.labelRules, fleet.defaultRules, fleet.policies].map(({ length }) => length)).toEqual([1, 1, 1]);
    const others = ["Cluster", "ClusterRegistrationToken"].map((kind) => documentText(kind, "a"));
    for (const text of [...others, documentText("ClusterGroup", "a", "selector: {}")])
      expect(messagesOf(checkTexts({ "a.yaml": text }, {}))).toEqual([
        "a.yaml E_NAMESPACE metadata.namespace: is missing, and the repository has no default workspace",
      ]);
  });

  it.each([
    ["MemberCluster", "cluster.kubernetes-fleet.io/v1", "{name: eu-1}", "{identity: {kind: User, name: a}}"],
    [
      "ManagedCluster",
      "clusters.clusternet.io/v1beta1",
      "{name: eu-1, namespace: clusternet-a}",
      "{clusterId: 4bb4fb4c-9a3c-4a77-8b3c-3a4f3f3f3f3f, syncMode: Dual}",
    ],
  ])("are those of %s, which cannot name one, where there is no default", (kind, apiVersion, metadata, spec) => {
    const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;
    const { problems } = checkTexts({ "a.yaml": text }, {});
    expect(problems.map(({ message, fix }) => ({ message, fix }))).toEqual([
      {
        message: `${kind} belongs to the default workspace, and the repository has none`,
        fix: "Set defaultWorkspace on the Repository.",
      },
    ]);
  });

  it("are rules of one workspace that the repository does not have", () => {
    const texts = { "a.yaml": inWorkspace(rule, "ops"), "b.yaml": inWorkspace(rule, "team-a") };
    const checked = checkTexts(texts, { workspaces: ["team-*"] });
    expect(messagesOf(checked)).toEqual([expect.stringContaining("a.yaml E_NAMESPACE metadata.namespace: ops is not")]);
    expect(checked.fleet.labelRules).toHaveLength(1);
  });

  it("are what is in the default workspace, where the repository may not write there", () => {
    const checked = checkTexts(
      { "a.yaml": documentText("Cluster", "eu-1") },
      { defaultWorkspace: "ops", workspaces: ["team-*"] },
    );
    expect(messagesOf(checked)).toEqual([
      expect.stringContaining("E_NAMESPACE metadata.namespace: ops is not a workspace"),
    ]);
    expect(clustersOf(checked)).toEqual([]);
    expect([...checked.brokenObjects]).toEqual(["Cluster/ops/eu-1"]);
  });

  it("are clusters that would be kept in a system namespace, whatever workspaces there are", () => {
    const own = (namespace: string) =>
      documentText("Cluster", "eu-1", "protocol: clusternet", `clusternet: {clusterNamespace: ${namespace}}`);
    expect(messagesOf(checkTexts({ "a.yaml": own("kube-system") }))).toEqual([
      "a.yaml E_NAMESPACE spec.clusternet.clusterNamespace: kube-system is a system namespace, never a workspace",
    ]);
    expect(
      messagesOf(checkTexts({ "a.yaml": own("elsewhere") }, { defaultWorkspace: "fleet", workspaces: ["fleet"] })),
    ).toEqual([]);
    const spec = { clusterId: "dc91021d-2361-4f6d-a404-7c33b9e01118", syncMode: "Pull" };
    const metadata = { name: "eu-1", namespace: "kube-system" };
    const managed = foreignText("clusters.clusternet.io/v1beta1", "ManagedCluster", metadata, spec);
    expect(messagesOf(checkTexts({ "a.yaml": managed }))[0]).toContain("E_NAMESPACE metadata.namespace: kube-system");
  });

  it.each<[string, string]>([
    ["a Cluster", documentText("Cluster", "eu-1", "protocol: clusternet", "clusternet: {clusterNamespace: ops}")],
    [
      "a ManagedCluster",
      foreignText(
        "clusters.clusternet.io/v1beta1",
        "ManagedCluster",
        { name: "eu-1", namespace: "ops", annotations: { "rollcall.dev/adopt": "true" } },
        { clusterId: "dc91021d-2361-4f6d-a404-7c33b9e01118", syncMode: "Pull" },
      ),
    ],
  ])("A101 are clusters of the daemon's own namespace, which would leave with them: %s", (_what, text) => {
    const checked = checkTexts({ "a.yaml": text }, { defaultWorkspace: "fleet", daemonNamespace: "ops" });
    expect(messagesOf(checked)).toEqual([
      expect.stringMatching(/^a\.yaml E_NAMESPACE .*: ops is a system namespace, never a workspace$/u),
    ]);
    expect(clustersOf(checked)).toEqual([]);
    expect(messagesOf(checkTexts({ "a.yaml": text }, { defaultWorkspace: "fleet", daemonNamespace: "other" }))).toEqual(
      [],
    );
  });
});
