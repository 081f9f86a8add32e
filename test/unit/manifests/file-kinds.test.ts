import { describe, expect, it } from "vitest";
import { apiVersionOfKind, evaluateKind } from "../../../src/manifests/file-kinds.ts";

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
    { apiVersion: "placement.kubefleet.dev/v1alpha1", kind: "ClusterPlacementPolicy", result: "ignored" },
    { apiVersion: "placement.kubefleet.dev/v1alpha1", kind: "PlacementPolicy", result: "ignored" },
    { apiVersion: "placement.kubefleet.dev/v1alpha1", kind: "PlacementBinding", result: "notOurs" },
    { apiVersion: "apps.clusternet.io/v1alpha1", kind: "Subscription", result: "ignored" },
    { apiVersion: "apps.clusternet.io/v1alpha1", kind: "HelmChart", result: "notOurs" },
    { apiVersion: "fleet.azure.com/v1alpha1", kind: "Work", result: "notOurs" },
    { apiVersion: "networking.fleet.azure.com/v1alpha1", kind: "ServiceExport", result: "notOurs" },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ManagedCluster", result: "foreign" },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ClusterRegistrationRequest", result: "foreign" },
    { apiVersion: "v1", kind: "Secret", result: "secret" },
    { apiVersion: "v1", kind: "ConfigMap", result: "notOurs" },
    { apiVersion: "v1", kind: "Policy", result: "notOurs" },
    { apiVersion: "v1alpha1", kind: "ImagePolicy", result: "notOurs" },
    { apiVersion: "v1.24.0", kind: "Cluster", result: "notOurs" },
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
    {
      apiVersion: "fleet.azure.com/v1alpha1",
      kind: "MemberCluster",
      message: /no longer of the group fleet\.azure\.com/u,
    },
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

  it.each([
    {
      apiVersion: "fleet.azure.com/v1alpha1",
      kind: "MemberCluster",
      at: "apiVersion",
      message: "MemberCluster is no longer of the group fleet.azure.com",
      fix: "Write apiVersion: cluster.kubernetes-fleet.io/v1beta1.",
    },
    {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Clutser",
      at: "kind",
      message: 'kind "Clutser" of rollcall.dev is not known, did you mean Cluster?',
      fix: "Write kind: Cluster.",
    },
    {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Deployment",
      at: "kind",
      message: 'kind "Deployment" of rollcall.dev is not known',
      fix: "Use one of Cluster, ClusterRegistrationToken, ClusterLabels, ClusterDefaults, ClusterGroup, Policy.",
    },
    {
      apiVersion: "cluster.kubernetes-fleet.io/v1",
      kind: "InternalMemberClustre",
      at: "kind",
      message:
        'kind "InternalMemberClustre" of cluster.kubernetes-fleet.io is not known, did you mean InternalMemberCluster?',
      fix: "Write kind: InternalMemberCluster.",
    },
    {
      apiVersion: "rollcall.dev/v1",
      kind: "Cluster",
      at: "apiVersion",
      message: 'version "v1" of rollcall.dev is not known',
      fix: "Write apiVersion: rollcall.dev/v1alpha1.",
    },
    {
      apiVersion: "cluster.kubernetes-fleet.io",
      kind: "MemberCluster",
      at: "apiVersion",
      message: "the apiVersion lacks its version",
      fix: "Write apiVersion: cluster.kubernetes-fleet.io/v1beta1.",
    },
    {
      apiVersion: "v1alpha1",
      kind: "Cluster",
      at: "apiVersion",
      message: "the apiVersion lacks its group",
      fix: "Write apiVersion: rollcall.dev/v1alpha1, or list the file in .rollcallignore if it declares nothing of the fleet.",
    },
    {
      apiVersion: "v1",
      kind: "MemberCluster",
      at: "apiVersion",
      message: "the apiVersion lacks its group",
      fix: "Write apiVersion: cluster.kubernetes-fleet.io/v1beta1, or list the file in .rollcallignore if it declares nothing of the fleet.",
    },
    {
      apiVersion: "cluster.kubernetes-flet.io/v1",
      kind: "MemberCluster",
      at: "apiVersion",
      message: 'the group "cluster.kubernetes-flet.io" is not known, did you mean cluster.kubernetes-fleet.io?',
      fix: "Write apiVersion: cluster.kubernetes-fleet.io/v1.",
    },
    {
      apiVersion: "rolcall.dev",
      kind: "Cluster",
      at: "apiVersion",
      message: 'the group "rolcall.dev" is not known, did you mean rollcall.dev?',
      fix: "Write apiVersion: rollcall.dev/v1alpha1.",
    },
  ])("names the remedy for $kind of $apiVersion", ({ apiVersion, kind, ...expected }) => {
    expect(evaluateKind(apiVersion, kind)).toEqual({ kind: "refused", mayDeclare: true, isList: false, ...expected });
  });

  it.each([
    { apiVersion: "v1", kind: "List", isList: true },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterList", isList: true },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "List", isList: false },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "GitRepoList", isList: false },
    { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterLisp", isList: false },
  ])("$kind of $apiVersion is a list: $isList", ({ apiVersion, kind, isList }) => {
    expect(evaluateKind(apiVersion, kind)).toMatchObject({ kind: "refused", at: "kind", isList });
  });

  it.each([
    { apiVersion: "rollcal.dev/v1", kind: "Cluster", result: "refused", reason: "one letter is missing" },
    { apiVersion: "rollcallx.dev/v1", kind: "ClusterGruop", result: "refused", reason: "one letter is too many" },
    { apiVersion: "rollcall.devxy/v1", kind: "ClusterGruop", result: "refused", reason: "two letters are behind it" },
    {
      apiVersion: "rollcall.devxyz/v1",
      kind: "ClusterGruop",
      result: "notOurs",
      reason: "three letters are behind it",
    },
    { apiVersion: "xyrollcall.dev/v1", kind: "ClusterGruop", result: "refused", reason: "two letters are in front" },
    { apiVersion: "rxllcall.dxv/v1", kind: "ClusterGruop", result: "notOurs", reason: "two letters far apart differ" },
    { apiVersion: "rxllcall.dxv/v1", kind: "ClusterGroup", result: "refused", reason: "and the kind is exactly ours" },
    { apiVersion: "rollcall.io/v1", kind: "ClusterGroup", result: "refused", reason: "and the kind is exactly ours" },
    { apiVersion: "rollcall.io/v1", kind: "ClusterGruop", result: "notOurs", reason: "the end differs" },
    { apiVersion: "rollcal.dev/v1", kind: "Deployment", result: "notOurs", reason: "the kind is no one's here" },
    { apiVersion: "rollcal.dev/v1", kind: "Repository", result: "refused", reason: "the kind is one of the hub" },
    { apiVersion: "fleet.catle.io/v1", kind: "GitRepo", result: "refused", reason: "the kind is one that is ignored" },
  ])("takes $kind of $apiVersion for $result: $reason", ({ apiVersion, kind, result }) => {
    expect(evaluateKind(apiVersion, kind).kind).toBe(result);
  });

  it.each([
    { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster", role: "Cluster", isNamespaced: true },
    { apiVersion: "cluster.kubernetes-fleet.io/v1", kind: "MemberCluster", role: "Cluster", isNamespaced: false },
    { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ManagedCluster", role: "Cluster", isNamespaced: true },
    {
      apiVersion: "clusters.clusternet.io/v1beta1",
      kind: "ClusterRegistrationRequest",
      role: "approval",
      isNamespaced: false,
    },
  ])("maps $kind to $role", ({ apiVersion, kind, role, isNamespaced }) => {
    expect(evaluateKind(apiVersion, kind)).toEqual({ kind: "foreign", role, isNamespaced });
  });

  it("reports of an ignored kind that it is ignored", () => {
    expect(evaluateKind("fleet.cattle.io/v1alpha1", "GitRepo")).toEqual({
      kind: "ignored",
      message: "GitRepo of fleet.cattle.io is not used here; the document is ignored",
    });
  });
});

describe("apiVersionOfKind", () => {
  it.each([
    { kind: "Cluster", apiVersion: "rollcall.dev/v1alpha1" },
    { kind: "MemberCluster", apiVersion: "cluster.kubernetes-fleet.io/v1beta1" },
    { kind: "ManagedCluster", apiVersion: "clusters.clusternet.io/v1beta1" },
    { kind: "GitRepo", apiVersion: undefined },
    { kind: "Repository", apiVersion: undefined },
    { kind: "constructor", apiVersion: undefined },
  ])("of $kind is $apiVersion", ({ kind, apiVersion }) => {
    expect(apiVersionOfKind(kind)).toBe(apiVersion);
  });
});
