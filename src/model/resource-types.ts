import type { KubeObject, ResourceType } from "./kubernetes.ts";

function type(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: "Namespaced" | "Cluster" = "Namespaced",
): ResourceType {
  const [first = "", second] = apiVersion.split("/");
  const isCore = second === undefined;
  return {
    group: isCore ? "" : first,
    version: isCore ? first : second,
    kind,
    plural,
    isNamespaced: scope === "Namespaced",
  };
}

/** Every kind this program reads or writes on a hub or a downstream cluster, by name. */
export const resourceTypes = {
  namespace: type("v1", "Namespace", "namespaces", "Cluster"),
  node: type("v1", "Node", "nodes", "Cluster"),
  configMap: type("v1", "ConfigMap", "configmaps"),
  secret: type("v1", "Secret", "secrets"),
  serviceAccount: type("v1", "ServiceAccount", "serviceaccounts"),
  service: type("v1", "Service", "services"),
  pod: type("v1", "Pod", "pods"),
  binding: type("v1", "Binding", "bindings"),
  event: type("v1", "Event", "events"),
  deployment: type("apps/v1", "Deployment", "deployments"),
  replicaSet: type("apps/v1", "ReplicaSet", "replicasets"),
  lease: type("coordination.k8s.io/v1", "Lease", "leases"),
  networkPolicy: type("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
  podDisruptionBudget: type("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
  priorityClass: type("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", "Cluster"),
  role: type("rbac.authorization.k8s.io/v1", "Role", "roles"),
  roleBinding: type("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
  clusterRole: type("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", "Cluster"),
  clusterRoleBinding: type("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", "Cluster"),
  customResourceDefinition: type(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    "Cluster",
  ),
  validatingAdmissionPolicy: type(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    "Cluster",
  ),
  validatingAdmissionPolicyBinding: type(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    "Cluster",
  ),
  mutatingAdmissionPolicyBeta: type(
    "admissionregistration.k8s.io/v1beta1",
    "MutatingAdmissionPolicy",
    "mutatingadmissionpolicies",
    "Cluster",
  ),
  mutatingAdmissionPolicyBindingBeta: type(
    "admissionregistration.k8s.io/v1beta1",
    "MutatingAdmissionPolicyBinding",
    "mutatingadmissionpolicybindings",
    "Cluster",
  ),
  mutatingAdmissionPolicy: type(
    "admissionregistration.k8s.io/v1",
    "MutatingAdmissionPolicy",
    "mutatingadmissionpolicies",
    "Cluster",
  ),
  mutatingAdmissionPolicyBinding: type(
    "admissionregistration.k8s.io/v1",
    "MutatingAdmissionPolicyBinding",
    "mutatingadmissionpolicybindings",
    "Cluster",
  ),
  tokenReview: type("authentication.k8s.io/v1", "TokenReview", "tokenreviews", "Cluster"),
  subjectAccessReview: type("authorization.k8s.io/v1", "SubjectAccessReview", "subjectaccessreviews", "Cluster"),
  selfSubjectReview: type("authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", "Cluster"),
  selfSubjectAccessReview: type(
    "authorization.k8s.io/v1",
    "SelfSubjectAccessReview",
    "selfsubjectaccessreviews",
    "Cluster",
  ),
  selfSubjectRulesReview: type(
    "authorization.k8s.io/v1",
    "SelfSubjectRulesReview",
    "selfsubjectrulesreviews",
    "Cluster",
  ),
  cluster: type("rollcall.dev/v1alpha1", "Cluster", "clusters"),
  clusterRegistrationToken: type("rollcall.dev/v1alpha1", "ClusterRegistrationToken", "clusterregistrationtokens"),
  clusterGroup: type("rollcall.dev/v1alpha1", "ClusterGroup", "clustergroups"),
  clusterRegistration: type("rollcall.dev/v1alpha1", "ClusterRegistration", "clusterregistrations"),
  clusterReport: type("rollcall.dev/v1alpha1", "ClusterReport", "clusterreports"),
  fleetCluster: type("fleet.cattle.io/v1alpha1", "Cluster", "clusters"),
  fleetRegistrationToken: type("fleet.cattle.io/v1alpha1", "ClusterRegistrationToken", "clusterregistrationtokens"),
  fleetRegistration: type("fleet.cattle.io/v1alpha1", "ClusterRegistration", "clusterregistrations"),
  fleetGroup: type("fleet.cattle.io/v1alpha1", "ClusterGroup", "clustergroups"),
  fleetBundleDeployment: type("fleet.cattle.io/v1alpha1", "BundleDeployment", "bundledeployments"),
  fleetContent: type("fleet.cattle.io/v1alpha1", "Content", "contents", "Cluster"),
  memberCluster: type("cluster.kubernetes-fleet.io/v1beta1", "MemberCluster", "memberclusters", "Cluster"),
  internalMemberCluster: type("cluster.kubernetes-fleet.io/v1beta1", "InternalMemberCluster", "internalmemberclusters"),
  managedCluster: type("clusters.clusternet.io/v1beta1", "ManagedCluster", "managedclusters"),
  registrationRequest: type(
    "clusters.clusternet.io/v1beta1",
    "ClusterRegistrationRequest",
    "clusterregistrationrequests",
    "Cluster",
  ),
  work: type("placement.kubernetes-fleet.io/v1beta1", "Work", "works"),
  argoApplication: type("argoproj.io/v1alpha1", "Application", "applications"),
  fluxKustomization: type("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "kustomizations"),
  fluxHelmRelease: type("helm.toolkit.fluxcd.io/v2", "HelmRelease", "helmreleases"),
  clusterProfile: type("multicluster.x-k8s.io/v1alpha1", "ClusterProfile", "clusterprofiles"),
  repository: type("rollcall.dev/v1alpha1", "Repository", "repositories"),
} as const satisfies Record<string, ResourceType>;

const byKind = new Map<string, ResourceType>(
  Object.values(resourceTypes).map((resource) => [keyOf(resource.group, resource.kind), resource]),
);

/** By apiVersion, then by kind: no text is made to look one up, which is done for every object that is written. */
const byVersion = new Map<string, Map<string, ResourceType>>();
for (const resource of Object.values(resourceTypes)) {
  const { group, version, kind } = resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const kinds = byVersion.get(apiVersion) ?? new Map<string, ResourceType>();
  byVersion.set(apiVersion, kinds.set(kind, resource));
}

/**
 * The resource type of an object by its apiVersion and kind, or undefined when this program does not know it. Of a version
 * that this program does not know it is the type of the known version.
 */
export function resourceTypeOf({
  apiVersion,
  kind,
}: Pick<KubeObject, "apiVersion" | "kind">): ResourceType | undefined {
  const known = byVersion.get(apiVersion)?.get(kind);
  if (known !== undefined) return known;
  const [first = "", second] = apiVersion.split("/");
  return byKind.get(keyOf(second === undefined ? "" : first, kind));
}

function keyOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}
