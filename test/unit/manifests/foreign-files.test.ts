import { describe, expect, it } from "vitest";
import { parseText, problemLines } from "./read-text.ts";

const groups = {
  Cluster: "fleet.cattle.io/v1alpha1",
  ClusterRegistrationToken: "fleet.cattle.io/v1alpha1",
  ClusterGroup: "fleet.cattle.io/v1alpha1",
  MemberCluster: "cluster.kubernetes-fleet.io/v1beta1",
  ManagedCluster: "clusters.clusternet.io/v1beta1",
};

type Kind = keyof typeof groups;

function read(kind: Kind, spec: string, { metadata = "{name: a}", apiVersion = groups[kind] } = {}) {
  return parseText(`apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`);
}

const identity = "identity: {kind: User, name: x}";
const id = "clusterId: 0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11, syncMode: Dual";

describe("a file of another project's kind", () => {
  it.each([
    ["another project's", groups.ClusterRegistrationToken, "{ttl: 86400}"],
    ["our", "rollcall.dev/v1alpha1", "{protocol: rollcall, ttl: 86400}"],
  ])("the remedy for seconds in %s token is a value that is then taken", (_whose, apiVersion, spec) => {
    const refused = read("ClusterRegistrationToken", spec, { apiVersion });
    expect(refused.problems[0]?.fix).toContain('such as "86400s" for seconds or "24h"');
    for (const ttl of ['"86400s"', '"24h"']) {
      const mended = read("ClusterRegistrationToken", spec.replace("86400", ttl), { apiVersion });
      expect(mended.problems).toEqual([]);
    }
  });

  it.each(
    (Object.keys(groups) as Kind[]).flatMap((kind) =>
      ["$MEMBER_CLUSTER", "${X}", "<cluster>", "{{ .Values.x }}"].map((text) => [kind, text] as const),
    ),
  )("is refused, a %s, with a label that is the unfilled template %s, which is named", (kind, text) => {
    const metadata = `{name: a, labels: {env: "${text}"}}`;
    const specs: Partial<Record<Kind, string>> = { MemberCluster: `{${identity}}`, ManagedCluster: `{${id}}` };
    expect(problemLines(read(kind, specs[kind] ?? "{}", { metadata }))).toEqual([
      expect.stringContaining("is a template that is not filled in"),
    ]);
    const own = read(kind, "{}", { metadata, apiVersion: "rollcall.dev/v1alpha1" });
    if (["Cluster", "ClusterRegistrationToken", "ClusterGroup"].includes(kind))
      expect(problemLines(own).join("\n")).toContain("is a template that is not filled in");
  });

  it.each<[reason: string, kind: Kind, spec: string, line: string]>([
    [
      "a token with a misspelt ttl, which would never expire",
      "ClusterRegistrationToken",
      "{tll: 24h}",
      "4:8 E_UNKNOWN_FIELD spec.tll: unknown field, did you mean ttl?",
    ],
    [
      "a token with a ttl in seconds",
      "ClusterRegistrationToken",
      "{ttl: 86400}",
      "4:13 E_SCHEMA spec.ttl: must be text",
    ],
    [
      "a token with a ttl in days",
      "ClusterRegistrationToken",
      "{ttl: 10d}",
      "4:8 E_SCHEMA ttl must be 0 or a Go duration",
    ],
    ["a token with a ttl over 290 years", "ClusterRegistrationToken", "{ttl: 9999999h}", "4:8 E_SCHEMA ttl must be"],
    [
      "a group with a misspelt selector, which would select all clusters",
      "ClusterGroup",
      "{selector: {matchlabels: {env: prod}}}",
      "4:19 E_UNKNOWN_FIELD spec.selector.matchlabels: unknown field, did you mean matchLabels?",
    ],
    [
      "a group with In and no values",
      "ClusterGroup",
      "{selector: {matchExpressions: [{key: a, operator: In}]}}",
      "4:38 E_SCHEMA spec.selector.matchExpressions[0]: operators In and NotIn need at least one value",
    ],
    [
      "a misspelt effect",
      "MemberCluster",
      `{${identity}, taints: [{key: a, efect: NoSchedule}]}`,
      "4:59 E_UNKNOWN_FIELD spec.taints[0].efect: unknown field, did you mean effect?",
    ],
    [
      "a field in the wrong case",
      "MemberCluster",
      "{identity: {kind: User, name: x, ApiGroup: z}}",
      "4:40 E_UNKNOWN_FIELD spec.identity.ApiGroup: unknown field, did you mean apiGroup?",
    ],
    [
      "an unknown field three levels down",
      "Cluster",
      "{agentEnvVars: [{name: A, valeu: b}]}",
      "4:33 E_UNKNOWN_FIELD spec.agentEnvVars[0].valeu: unknown field, did you mean value?",
    ],
    [
      "an amount that is none, named by the field of the file",
      "Cluster",
      "{agentResources: {limits: {cpu: 1x}}}",
      "4:39 E_SCHEMA spec.agentResources.limits.cpu: must be an amount",
    ],
    [
      "a number that 64 bits cannot hold",
      "Cluster",
      "{redeployAgentGeneration: 1e30}",
      "4:33 E_SCHEMA spec.redeployAgentGeneration: 1e+30 is out of the range of int64",
    ],
    [
      "an amount that 64 bits cannot hold",
      "Cluster",
      "{agentResources: {limits: {cpu: 1e30}}}",
      "4:39 E_SCHEMA spec.agentResources.limits.cpu: must be an amount",
    ],
    ["a mode that is none", "ManagedCluster", "{clusterId: x, syncMode: Dual}", "4:19 E_SCHEMA spec.clusterId"],
    ["a type that is none", "ManagedCluster", `{${id}, clusterType: x}`, "4:86 E_SCHEMA spec.clusterType"],
    [
      "a shell variable that is not filled in",
      "MemberCluster",
      "{identity: {kind: User, name: $MEMBER_CLUSTER}}",
      '4:37 E_SCHEMA spec.identity.name: "$MEMBER_CLUSTER" is a template that is not filled in',
    ],
  ])("is refused with %s", (_reason, kind, spec, line) => {
    expect(problemLines(read(kind, spec))).toEqual([expect.stringContaining(line)]);
  });

  it.each([
    ["{name: a, taints: []}", "3:21 E_UNKNOWN_FIELD metadata.taints: unknown field, did you mean spec.taints?"],
    ["{name: a, labels: {a: a-}}", '3:33 E_SCHEMA metadata.labels.a: "a-" is not allowed'],
    ["{name: a, labels: {a..b/c: d}}", '3:30 E_SCHEMA metadata.labels: the key "a..b/c" is not allowed'],
    ["{name: <name>}", '3:18 E_SCHEMA metadata.name: "<name>" is a template that is not filled in'],
    ["{name: a..b}", '3:18 E_SCHEMA metadata.name: "a..b" is not allowed'],
    ["{name: a, finalizers: [x]}", "3:21 E_UNKNOWN_FIELD metadata.finalizers"],
  ])("is refused with metadata %s", (metadata, line) => {
    expect(problemLines(read("MemberCluster", `{${identity}}`, { metadata }))).toEqual([expect.stringContaining(line)]);
  });

  it("is checked by the fields of its own version", () => {
    const apiVersion = "cluster.kubernetes-fleet.io/v1";
    const spec = `{${identity}, deleteOptions: {validationMode: Skip}}`;
    expect(problemLines(read("MemberCluster", spec))).toEqual([]);
    expect(problemLines(read("MemberCluster", spec, { apiVersion }))).toEqual([
      expect.stringContaining("E_UNKNOWN_FIELD spec.deleteOptions"),
    ]);
  });

  it("may hold the status that kubectl prints, whatever it contains", () => {
    const text = `apiVersion: ${groups.MemberCluster}\nkind: MemberCluster\nmetadata: {name: a}\nspec: {${identity}}\n`;
    const file = parseText(`${text}status: {nonsense: [1], conditions: {}}\n`);
    expect(problemLines(file)).toEqual([]);
    expect(file.documents[0]?.object).not.toHaveProperty("status");
  });
});
