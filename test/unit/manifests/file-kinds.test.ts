import { describe, expect, it } from "vitest";
import { judgeKind } from "../../../src/manifests/file-kinds.ts";

describe("judgeKind", () => {
  it.each([
    { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", verdict: "own" },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "Policy", verdict: "own" },
    { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster", verdict: "foreign" },
    { apiVersion: "fleet.cattle.io/v1alpha1", kind: "GitRepo", verdict: "ignored" },
    { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", verdict: "foreign" },
    { apiVersion: "cluster.kubernetes-fleet.io/v1", kind: "MemberCluster", verdict: "foreign" },
    { apiVersion: "cluster.kubernetes-fleet.io/v1", kind: "InternalMemberCluster", verdict: "ignored" },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ManagedCluster", verdict: "foreign" },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ClusterRegistrationRequest", verdict: "foreign" },
    { apiVersion: "v1", kind: "Secret", verdict: "secret" },
    { apiVersion: "v1", kind: "ConfigMap", verdict: "notOurs" },
    { apiVersion: "apps/v1", kind: "Deployment", verdict: "notOurs" },
    { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Cluster", verdict: "notOurs" },
    { apiVersion: "rke.cattle.io/v1", kind: "RKECluster", verdict: "notOurs" },
    { apiVersion: "management.cattle.io/v3", kind: "Cluster", verdict: "notOurs" },
    { apiVersion: "helm.cattle.io/v1", kind: "HelmChart", verdict: "notOurs" },
    { apiVersion: "toString", kind: "constructor", verdict: "notOurs" },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "constructor", verdict: "refused" },
  ])("takes $kind of $apiVersion as $verdict", ({ apiVersion, kind, verdict }) => {
    expect(judgeKind(apiVersion, kind).kind).toBe(verdict);
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
    expect(judgeKind(apiVersion, kind)).toMatchObject({
      kind: "refused",
      mayDeclare: true,
      message: expect.stringMatching(message) as string,
    });
  });

  it.each(["Repository", "ClusterReport", "FleetSummary"])("refuses %s, which files never declare", (kind) => {
    expect(judgeKind("rollcall.dev/v1alpha1", kind)).toMatchObject({ kind: "refused", mayDeclare: false });
  });
});
