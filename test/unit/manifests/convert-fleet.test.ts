import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { clusterOfFleet, groupOfFleet, tokenOfFleet } from "../../../src/manifests/convert-fleet.ts";
import { validateDocument as validate } from "../../../src/manifests/validate-document.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

function fleetObject(kind: string, spec?: object, annotations?: Record<string, string>): KubeObject {
  const metadata = {
    name: "one",
    namespace: "clusters",
    labels: { env: "dev" },
    ...(annotations ? { annotations } : {}),
  };
  return { apiVersion: "fleet.cattle.io/v1alpha1", kind, metadata, ...(spec ? { spec } : {}) };
}

describe("clusterOfFleet", () => {
  it("makes a Cluster of protocol fleet of every field that Fleet has", () => {
    const cluster = clusterOfFleet(
      fleetObject("Cluster", {
        paused: true,
        clientID: "really-random",
        kubeConfigSecret: "my-kubeconfig",
        redeployAgentGeneration: 3,
        agentNamespace: "fleet-here",
        agentEnvVars: [{ name: "HTTPS_PROXY", value: "http://proxy:3128" }],
        agentTolerations: [{ operator: "Exists" }],
        agentResources: { requests: { cpu: "20m" } },
        agentPullSecrets: [{ name: "registry" }],
        hostNetwork: true,
        privateRepoURL: "registry.example.com",
        templateValues: { a: { b: 1 } },
        agentSchedulingCustomization: { podDisruptionBudget: { maxUnavailable: "1" } },
      }),
    );
    expect(cluster.spec).toEqual({
      protocol: "fleet",
      paused: true,
      clientID: "really-random",
      kubeConfigSecretRef: { name: "my-kubeconfig" },
      agent: {
        namespace: "fleet-here",
        env: [{ name: "HTTPS_PROXY", value: "http://proxy:3128" }],
        tolerations: [{ operator: "Exists" }],
        resources: { requests: { cpu: "20m" } },
        imagePullSecrets: [{ name: "registry" }],
        hostNetwork: true,
        redeployGeneration: 3,
      },
      fleet: {
        privateRepoURL: "registry.example.com",
        templateValues: { a: { b: 1 } },
        agentSchedulingCustomization: { podDisruptionBudget: { maxUnavailable: "1" } },
      },
    });
    expect(cluster.metadata).toEqual({ name: "one", namespace: "clusters", labels: { env: "dev" } });
    expect(validate("Cluster", cluster as unknown as JsonObject)).toEqual([]);
  });

  it("declares no more than the file does", () => {
    expect(clusterOfFleet(fleetObject("Cluster")).spec).toEqual({ protocol: "fleet" });
    expect(clusterOfFleet(fleetObject("Cluster", { clientID: "", hostNetwork: null })).spec).toEqual({
      protocol: "fleet",
    });
  });
});

describe("clusterOfFleet: agentPullSecrets", () => {
  it.each([
    { said: [], expected: [], reason: "none, whatever Fleet's controllers have" },
    { said: null, expected: undefined, reason: "those of Fleet's controllers" },
    { said: [{ name: "r" }], expected: [{ name: "r" }], reason: "these" },
  ])("$said: $reason", ({ said, expected }) => {
    const cluster = clusterOfFleet(fleetObject("Cluster", { agentPullSecrets: said }));
    expect(cluster.spec?.agent?.imagePullSecrets).toEqual(expected);
    expect(validate("Cluster", cluster as unknown as JsonObject)).toEqual([]);
  });
});

describe("tokenOfFleet", () => {
  it.each([
    { ttl: "240h", spec: { protocol: "fleet", fleet: { ttl: "240h" } }, reason: "a life of its own" },
    { ttl: "5m", spec: { protocol: "fleet", fleet: { ttl: "5m" } }, reason: "shorter than ours may be" },
    { ttl: null, spec: { protocol: "fleet" }, reason: "null is for ever" },
    { ttl: "0", spec: { protocol: "fleet", fleet: { ttl: "0" } }, reason: "zero is for ever" },
  ])("keeps the ttl $ttl: $reason", ({ ttl, spec }) => {
    const token = tokenOfFleet(fleetObject("ClusterRegistrationToken", { ttl }));
    expect(token.spec).toEqual(spec);
    expect(validate("ClusterRegistrationToken", token as unknown as JsonObject)).toEqual([]);
  });

  it("lets those come in again that the annotation names, and anybody new", () => {
    const annotations = { "rollcall.dev/cluster-names": "eu-1, eu-2" };
    expect(tokenOfFleet(fleetObject("ClusterRegistrationToken", {}, annotations)).spec).toEqual({
      protocol: "fleet",
      clusterNames: ["eu-1", "eu-2", "*"],
    });
  });
});

describe("groupOfFleet", () => {
  it("selects as Fleet does, and nothing where Fleet selects nothing", () => {
    const selector = {
      matchLabels: { env: "dev" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["gold"] }],
    };
    expect(groupOfFleet(fleetObject("ClusterGroup", { selector })).spec).toEqual({ selector });
    expect(groupOfFleet(fleetObject("ClusterGroup", {})).spec).toEqual({
      selector: { matchExpressions: [{ key: "rollcall.dev/no-cluster", operator: "Exists" }] },
    });
    expect(groupOfFleet(fleetObject("ClusterGroup", { selector: {} })).spec).toEqual({ selector: {} });
  });
});
