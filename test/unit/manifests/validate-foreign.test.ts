import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { validateDocument } from "../../../src/manifests/validate-document.ts";
import { createForeignReader } from "../../../src/manifests/validate-foreign.ts";

const readForeign = createForeignReader(validateDocument);
const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const identity = { kind: "User", name: "x" };

const kinds = {
  Cluster: { apiVersion: "fleet.cattle.io/v1alpha1", isNamespaced: true },
  ClusterRegistrationToken: { apiVersion: "fleet.cattle.io/v1alpha1", isNamespaced: true },
  ClusterGroup: { apiVersion: "fleet.cattle.io/v1alpha1", isNamespaced: true },
  MemberCluster: { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", isNamespaced: false },
  ManagedCluster: { apiVersion: "clusters.clusternet.io/v1beta1", isNamespaced: true },
  ClusterRegistrationRequest: { apiVersion: "clusters.clusternet.io/v1beta1", isNamespaced: false },
};

function read(kind: keyof typeof kinds, spec: JsonObject, metadata: JsonObject = { name: "a" }) {
  const { apiVersion, isNamespaced } = kinds[kind];
  return readForeign({ apiVersion, kind, metadata, spec }, { apiVersion, kind, isNamespaced });
}

describe("what our kind refuses in a document of another project's kind", () => {
  it.each<{ kind: keyof typeof kinds; spec: JsonObject; at: string }>([
    { kind: "Cluster", spec: { agentNamespace: "A_" }, at: "spec.agentNamespace" },
    { kind: "Cluster", spec: { agentEnvVars: [{ name: "1 b" }] }, at: "spec.agentEnvVars[0].name" },
    { kind: "Cluster", spec: { agentTolerations: [{}, { effect: "X" }] }, at: "spec.agentTolerations[1].effect" },
    { kind: "Cluster", spec: { agentResources: { limits: { cpu: "-1" } } }, at: "spec.agentResources.limits.cpu" },
    { kind: "Cluster", spec: { agentPullSecrets: [{ name: "A_" }] }, at: "spec.agentPullSecrets[0].name" },
    { kind: "Cluster", spec: { redeployAgentGeneration: -1 }, at: "spec.redeployAgentGeneration" },
    { kind: "Cluster", spec: { kubeConfigSecret: "A_" }, at: "spec.kubeConfigSecret" },
    { kind: "Cluster", spec: { clientID: "x y" }, at: "spec.clientID" },
    { kind: "MemberCluster", spec: { identity, heartbeatPeriodSeconds: 0 }, at: "spec.heartbeatPeriodSeconds" },
    { kind: "MemberCluster", spec: { identity: { kind: "Robot", name: "x" } }, at: "spec.identity.kind" },
    {
      kind: "MemberCluster",
      spec: { identity, taints: [{ key: "-", effect: "NoSchedule" }] },
      at: "spec.taints[0].key",
    },
    { kind: "ManagedCluster", spec: { clusterId: "x", syncMode: "Pull" }, at: "spec.clusterId" },
    { kind: "ManagedCluster", spec: { clusterId: id, syncMode: "P" }, at: "spec.syncMode" },
    { kind: "ClusterRegistrationRequest", spec: { clusterId: "x", clusterName: "a" }, at: "spec.clusterId" },
    {
      kind: "ClusterRegistrationRequest",
      spec: { clusterId: id, clusterName: "a", syncMode: "X" },
      at: "spec.syncMode",
    },
    {
      kind: "ClusterRegistrationRequest",
      spec: { clusterId: id, clusterName: "a", clusterLabels: { env: "b-" } },
      at: "spec.clusterLabels.env",
    },
    { kind: "ClusterGroup", spec: { selector: { matchLabels: { a: "b-" } } }, at: "spec.selector.matchLabels.a" },
  ])("is reported at the field of the file: $at of a $kind", ({ kind, spec, at }) => {
    const { object, findings } = read(kind, spec);
    expect(object).toBeUndefined();
    expect(findings).toHaveLength(1);
    const path = at.split(/[.[\]]+/u);
    expect(findings[0]?.path.map(String)).toEqual(path);
    expect(findings[0]?.message.startsWith(`${at}: `)).toBe(true);
    expect(`${findings[0]?.message} ${findings[0]?.fix}`).not.toMatch(/spec\.(?:agent\.|fleet|kubefleet|clusternet)/u);
  });

  it("is reported at the annotation that names the clusters of a token", () => {
    const annotation = "rollcall.dev/cluster-names";
    const { findings } = read("ClusterRegistrationToken", {}, { name: "a", annotations: { [annotation]: "A_,b" } });
    expect(findings).toEqual([
      {
        code: "E_SCHEMA",
        path: ["metadata", "annotations", annotation, "0"],
        part: "value",
        message: `metadata.annotations["${annotation}"][0]: "A_" is not allowed`,
        fix: "Use a name of lower-case letters, digits and hyphens, with * and ? as wildcards.",
      },
    ]);
  });

  it("is reported at the namespace of a ManagedCluster", () => {
    const { findings } = read("ManagedCluster", { clusterId: id, syncMode: "Pull" }, { name: "a", namespace: "A_" });
    expect(findings).toMatchObject([{ path: ["metadata", "namespace"], part: "value" }]);
    expect(findings[0]?.message).toBe('metadata.namespace: "A_" is not allowed');
  });

  it("is reported at the taint of the file, whose list has taints of the hub as well", () => {
    const hub = { key: "clusters.clusternet.io/unschedulable", effect: "NoSchedule" };
    const [wrong, right] = [
      { key: "-", effect: "NoSchedule" },
      { key: "a", effect: "NoSchedule" },
    ];
    const taints = [hub, wrong, hub, right, wrong];
    const { findings } = read("ManagedCluster", { clusterId: id, syncMode: "Pull", taints });
    expect(findings.map(({ path, message }) => [path.join("."), message.split(":", 1)[0]])).toEqual([
      ["spec.taints.1.key", "spec.taints[1].key"],
      ["spec.taints.4.key", "spec.taints[4].key"],
    ]);
  });
});

describe("a document of another project's kind that fits ours", () => {
  it.each<{ kind: keyof typeof kinds; spec: JsonObject; metadata: JsonObject }>([
    { kind: "Cluster", spec: { agentNamespace: "a" }, metadata: { name: "a", namespace: "b" } },
    {
      kind: "MemberCluster",
      spec: { identity },
      metadata: { name: "a.of-any.name" },
    },
    { kind: "ClusterGroup", spec: {}, metadata: { name: "a", labels: { b: "c" } } },
    { kind: "ManagedCluster", spec: { clusterId: id, syncMode: "Pull" }, metadata: { name: "a", namespace: "b" } },
  ])("is read as it is: $kind", ({ kind, spec, metadata }) => {
    const { apiVersion } = kinds[kind];
    expect(read(kind, spec, metadata)).toEqual({ object: { apiVersion, kind, metadata, spec }, findings: [] });
  });

  it("has no namespace where its kind has none", () => {
    const finding = {
      code: "E_SCHEMA",
      path: ["metadata", "namespace"],
      part: "key",
      message: "metadata.namespace: MemberCluster has no namespace",
      fix: "Delete the field.",
    };
    for (const namespace of ["b", 5]) {
      expect(read("MemberCluster", { identity }, { name: "a", namespace })).toEqual({
        object: undefined,
        findings: [finding],
      });
    }
  });

  it("has its fields of the name namespace checked like others", () => {
    expect(read("MemberCluster", { identity, namespace: "b" }).findings).toMatchObject([
      { code: "E_UNKNOWN_FIELD", path: ["spec", "namespace"] },
    ]);
  });

  it.each<{ kind: keyof typeof kinds; metadata: JsonObject; message: string }>([
    { kind: "Cluster", metadata: { name: "a", namespace: 5 }, message: "metadata.namespace: must be text" },
    { kind: "MemberCluster", metadata: { name: 5 }, message: "metadata.name: must be text" },
    { kind: "MemberCluster", metadata: { name: "a", namespaces: "b" }, message: "metadata.namespaces: unknown field" },
    {
      kind: "MemberCluster",
      metadata: { name: "a", annotations: { namespace: 5 } },
      message: "metadata.annotations.namespace: must",
    },
  ])("is refused with another fault of its metadata: $message", ({ kind, metadata, message }) => {
    expect(read(kind, { identity }, metadata).findings.map((finding) => finding.message)).toContainEqual(
      expect.stringContaining(message),
    );
  });
});
