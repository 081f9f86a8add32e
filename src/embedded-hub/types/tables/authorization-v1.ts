import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, authorization.k8s.io/v1. */
export const authorizationV1: TypeTable = {
  group: "authorization.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.authorization.v1",
  types: {
    SubjectAccessReview: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 SubjectAccessReviewSpec always required",
      status: "3 SubjectAccessReviewStatus",
    },
    SubjectAccessReviewSpec: {
      resourceAttributes: "1 *ResourceAttributes",
      nonResourceAttributes: "2 *NonResourceAttributes",
      user: "3 string",
      groups: "4 []string atomic",
      extra: "5 map ExtraValue",
      uid: "6 string",
    },
    ResourceAttributes: {
      namespace: "1 string",
      verb: "2 string",
      group: "3 string",
      version: "4 string",
      resource: "5 string",
      subresource: "6 string",
      name: "7 string",
      fieldSelector: "8 *FieldSelectorAttributes",
      labelSelector: "9 *LabelSelectorAttributes",
    },
    FieldSelectorAttributes: {
      rawSelector: "1 string",
      requirements: "2 []meta.FieldSelectorRequirement atomic",
    },
    LabelSelectorAttributes: {
      rawSelector: "1 string",
      requirements: "2 []meta.LabelSelectorRequirement atomic",
    },
    NonResourceAttributes: {
      path: "1 string",
      verb: "2 string",
    },
    SubjectAccessReviewStatus: {
      allowed: "1 bool always required",
      denied: "4 bool",
      reason: "2 string",
      evaluationError: "3 string",
    },
    SelfSubjectAccessReview: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 SelfSubjectAccessReviewSpec always required",
      status: "3 SubjectAccessReviewStatus",
    },
    SelfSubjectAccessReviewSpec: {
      resourceAttributes: "1 *ResourceAttributes",
      nonResourceAttributes: "2 *NonResourceAttributes",
    },
    LocalSubjectAccessReview: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 SubjectAccessReviewSpec always required",
      status: "3 SubjectAccessReviewStatus",
    },
    SelfSubjectRulesReview: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 SelfSubjectRulesReviewSpec always required",
      status: "3 SubjectRulesReviewStatus",
    },
    SelfSubjectRulesReviewSpec: {
      namespace: "1 string",
    },
    SubjectRulesReviewStatus: {
      resourceRules: "1 []ResourceRule always required atomic",
      nonResourceRules: "2 []NonResourceRule always required atomic",
      incomplete: "3 bool always required",
      evaluationError: "4 string",
    },
    ResourceRule: {
      verbs: "1 []string always required atomic",
      apiGroups: "2 []string atomic",
      resources: "3 []string atomic",
      resourceNames: "4 []string atomic",
    },
    NonResourceRule: {
      verbs: "1 []string always required atomic",
      nonResourceURLs: "2 []string atomic",
    },
  },
};
