import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, rbac.authorization.k8s.io/v1. */
export const rbacV1: TypeTable = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.rbac.v1",
  types: {
    Role: {
      metadata: "1 meta.ObjectMeta",
      rules: "2 []PolicyRule always atomic",
    },
    PolicyRule: {
      verbs: "1 []string always required atomic",
      apiGroups: "2 []string atomic",
      resources: "3 []string atomic",
      resourceNames: "4 []string atomic",
      nonResourceURLs: "5 []string atomic",
    },
    RoleList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Role always required",
    },
    ClusterRole: {
      metadata: "1 meta.ObjectMeta",
      rules: "2 []PolicyRule always atomic",
      aggregationRule: "3 *AggregationRule",
    },
    AggregationRule: {
      clusterRoleSelectors: "1 []meta.LabelSelector atomic",
    },
    ClusterRoleList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ClusterRole always required",
    },
    RoleBinding: {
      metadata: "1 meta.ObjectMeta",
      subjects: "2 []Subject atomic",
      roleRef: "3 RoleRef always required",
    },
    Subject: {
      "@": "atomic",
      kind: "1 string always required",
      apiGroup: "2 string",
      name: "3 string always required",
      namespace: "4 string",
    },
    RoleRef: {
      "@": "atomic",
      apiGroup: "1 string always required",
      kind: "2 string always required",
      name: "3 string always required",
    },
    RoleBindingList: {
      metadata: "1 meta.ListMeta",
      items: "2 []RoleBinding always required",
    },
    ClusterRoleBinding: {
      metadata: "1 meta.ObjectMeta",
      subjects: "2 []Subject atomic",
      roleRef: "3 RoleRef always required",
    },
    ClusterRoleBindingList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ClusterRoleBinding always required",
    },
  },
};
