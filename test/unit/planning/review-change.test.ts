import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { Observed } from "../../../src/planning/observed.ts";
import { reviewChange } from "../../../src/planning/review-change.ts";

const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };

function effectsOf(change: PlannedChange, reason = "Published", spec: object = {}): readonly string[] {
  const condition = { type: "Published", status: "True", reason, message: "Secret/argocd/cluster-fleet-eu-1." };
  const live: KubeObject = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { namespace: "fleet", name: "eu-1" },
    spec,
    status: { conditions: [{ ...condition, lastTransitionTime: "2027-01-01T00:00:00Z" }] },
  };
  const observed: Observed = { isComplete: true, get: () => live, list: () => [live], isWorkspace: () => true };
  return reviewChange(change, observed).effects;
}

const leave: PlannedChange = { kind: "leave", ref, commit: "c", uid: "u", resourceVersion: "1", reason: "r" };
const update: PlannedChange = {
  kind: "update",
  ref,
  object: { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { namespace: "fleet", name: "eu-1" } },
  manager: "rollcall-git",
  fields: [{ path: "spec.kubeConfigSecretRef.name", from: "eu-1" }],
};

describe("the plan of a cluster that is published", () => {
  it.each([
    ["is deleted", leave],
    ["loses its kubeconfig", update],
  ])("names the Secrets that wait for what uses them when its file %s", (_how, change) => {
    expect(effectsOf(change).join("\n")).toMatch(
      /stays until no Application, Kustomization or HelmRelease uses it.*Secret\/argocd\/cluster-fleet-eu-1/u,
    );
  });

  it("reports nothing of Secrets where none is published", () => {
    expect(effectsOf(leave, "KubeconfigOfClusterApi").join("\n")).not.toContain("published");
  });
});

describe("the plan of a cluster that leaves", () => {
  it.each([
    ["fleet", "Remove", /^first its BundleDeployments are deleted, and its agent removes what it applied of them/mu],
    ["kubefleet", "Remove", /^first its Works are deleted, and its agent removes what it applied of them/mu],
    ["kubefleet", undefined, /^what its agent applied of Works stays in the cluster/mu],
    ["fleet", "Keep", /^what its agent applied of BundleDeployments stays in the cluster/mu],
  ])("names what becomes of the objects placed on it: %s, %s", (protocol, placedResources, expected) => {
    expect(effectsOf(leave, "Published", { protocol, placedResources }).join("\n")).toMatch(expected);
  });

  it.each([
    ["0h30m", "after 0h30m: "],
    ["30m", "after 30m: "],
    ["0m", "at once: "],
    [undefined, "at once: "],
  ])("states when with a grace period of %s", (deletionGracePeriod, expected) => {
    expect(effectsOf(leave, "Published", { deletionGracePeriod })[0]).toMatch(new RegExp(`^${expected}`, "u"));
  });

  it.each(["rollcall", "clusternet"])("names none with protocol %s, where nothing is placed", (protocol) => {
    expect(effectsOf(leave, "Published", { protocol }).join("\n")).not.toContain("placedResources");
  });
});

describe("the plan of a token", () => {
  it.each([
    { spec: { ttl: "24h" }, expected: "for 24h" },
    { spec: { fleet: { ttl: "240h" } }, expected: "for 240h" },
    { spec: { ttl: "24h", fleet: { ttl: "1h" } }, expected: "for 1h" },
    { spec: { ttl: "0h30m" }, expected: "for 0h30m" },
    { spec: { ttl: "24h", fleet: { ttl: "-1s" } }, expected: "without an end" },
    { spec: { ttl: "0" }, expected: "without an end" },
    { spec: {}, expected: "without an end" },
  ])("states how long one with $spec admits clusters: $expected", ({ spec, expected }) => {
    const kind = "ClusterRegistrationToken";
    const object = { apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { namespace: "fleet", name: "edge" }, spec };
    const type = resourceTypes.clusterRegistrationToken;
    const change = { kind: "create", ref: { ...ref, type }, object, manager: "rollcall-git", fields: [] } as const;
    expect(effectsOf(change)).toEqual([`a token is issued: any number of clusters may join with it, ${expected}`]);
  });
});
