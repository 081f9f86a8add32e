import type { ResourceType } from "../../../src/model/kubernetes.ts";

function review(group: string, kind: string): ResourceType {
  return { group, version: "v1", kind, plural: `${kind.toLowerCase()}s`, isNamespaced: false };
}

/** Kinds that are only asked, never kept. */
export const reviewTypes = {
  tokenReview: review("authentication.k8s.io", "TokenReview"),
  selfSubjectReview: review("authentication.k8s.io", "SelfSubjectReview"),
  selfSubjectAccessReview: review("authorization.k8s.io", "SelfSubjectAccessReview"),
  subjectAccessReview: review("authorization.k8s.io", "SubjectAccessReview"),
};
