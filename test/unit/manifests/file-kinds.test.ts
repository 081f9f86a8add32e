import { describe, expect, it } from "vitest";
import { evaluateKind } from "../../../src/manifests/file-kinds.ts";

describe("evaluateKind", () => {
  it.each([
    { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", result: "own" },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "Policy", result: "own" },
    { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster", result: "foreign" },
    { apiVersion: "fleet.cattle.io/v1alpha1", kind: "GitRepo", result: "ignored" },
    { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", result: "foreign" },
    { apiVersion: "cluster.kubernetes-fleet.io/v1", kind: "MemberCluster", result: "foreign" },
    { apiVersion: "cluster.kubernetes-fleet.io/v1", kind: "InternalMemberCluster", result: "ignored" },
    { apiVersion: "placement.kubernetes-fleet.io/v1beta1", kind: "ClusterResourcePlacement", result: "ignored" },
    { apiVersion: "placement.kubernetes-fleet.io/v1", kind: "ResourcePlacement", result: "ignored" },
    { apiVersion: "placement.kubernetes-fleet.io/v1beta1", kind: "Work", result: "notOurs" },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ManagedCluster", result: "foreign" },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ClusterRegistrationRequest", result: "foreign" },
    { apiVersion: "v1", kind: "Secret", result: "secret" },
    { apiVersion: "v1", kind: "ConfigMap", result: "notOurs" },
    { apiVersion: "apps/v1", kind: "Deployment", result: "notOurs" },
    { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Cluster", result: "notOurs" },
    { apiVersion: "rke.cattle.io/v1", kind: "RKECluster", result: "notOurs" },
    { apiVersion: "management.cattle.io/v3", kind: "Cluster", result: "notOurs" },
    { apiVersion: "helm.cattle.io/v1", kind: "HelmChart", result: "notOurs" },
    { apiVersion: "toString", kind: "constructor", result: "notOurs" },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "constructor", result: "refused" },
  ])("takes $kind of $apiVersion as $result", ({ apiVersion, kind, result }) => {
    expect(evaluateKind(apiVersion, kind).kind).toBe(result);
  });

  it.each([
    { apiVersion: "rollcall.dev/v1alpha1", kind: "Clutser", message: /did you mean Cluster\?/u },
    { apiVersion: "rollcall.dev/v1alpha2", kind: "Cluster", message: /version "v1alpha2" of rollcall\.dev/u },
    { apiVersion: "rollcall.dev", kind: "Cluster", message: /lacks its version/u },
    { apiVersion: "rollcal.dev/v1alpha1", kind: "Cluster", message: /did you mean rollcall\.dev\?/u },
    { apiVersion: "rollcall.io/v1alpha1", kind: "ClusterLabels", message: /did you mean rollcall\.dev\?/u },
    { apiVersion: "rollcal.dev/v1alpha1", kind: "Clutser", message: /did you mean rollcall\.dev\?/u },
    { apiVersion: "fleet.catle.io/v1alpha1", kind: "Cluster", message: /did you mean fleet\.cattle\.io\?/u },
    { apiVersion: "fleet.cattle.io/v1beta1", kind: "Cluster", message: /version "v1beta1"/u },
    { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Clusters", message: /did you mean Cluster\?/u },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "Subscription", message: /is not known/u },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterList", message: /lists \(kind ClusterList\) are not read/u },
  ])("refuses $kind of $apiVersion: it may be meant to declare something", ({ apiVersion, kind, message }) => {
    expect(evaluateKind(apiVersion, kind)).toMatchObject({
      kind: "refused",
      mayDeclare: true,
      message: expect.stringMatching(message) as string,
    });
  });

  it.each(["Repository", "ClusterReport", "FleetSummary"])("refuses %s, which files never declare", (kind) => {
    expect(evaluateKind("rollcall.dev/v1alpha1", kind)).toMatchObject({ kind: "refused", mayDeclare: false });
  });
});
