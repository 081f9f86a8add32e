import type { Request } from "./replay.ts";

const authorization = "/apis/authorization.k8s.io/v1";
const authentication = "/apis/authentication.k8s.io/v1";
const token = "/api/v1/namespaces/NS/serviceaccounts/a/token";

const reviews: readonly (readonly [path: string, kind: string])[] = [
  [`${authorization}/selfsubjectaccessreviews`, "SelfSubjectAccessReview"],
  [`${authorization}/subjectaccessreviews`, "SubjectAccessReview"],
  [`${authorization}/namespaces/NS/localsubjectaccessreviews`, "LocalSubjectAccessReview"],
  [`${authorization}/selfsubjectrulesreviews`, "SelfSubjectRulesReview"],
  [`${authentication}/selfsubjectreviews`, "SelfSubjectReview"],
  [`${authentication}/tokenreviews`, "TokenReview"],
  [token, "TokenRequest"],
];

function groupOf(path: string): string {
  return path.startsWith(authorization) ? "authorization.k8s.io" : "authentication.k8s.io";
}

const bound = [
  ...["Pod", "Secret", "Node", "ConfigMap"].map((kind) => ({ kind, apiVersion: "v1" })),
  ...["Pod", "Secret", "Node"].map((kind) => ({ kind, apiVersion: "v1", name: "none" })),
  ...[{}, { name: "a" }, { kind: "Pod", name: "a" }],
];
const audiences = ["example.org"];

/** What is asked about rights and users, in versions that are not served and with fields that are not taken. */
export const reviewRequests: readonly Request[] = [
  { method: "POST", path: "/api/v1/namespaces/NS/serviceaccounts", body: { metadata: { name: "a" } } },
  ...reviews.flatMap(([path, kind]) =>
    ["v1alpha1", "v1beta1", "v2"].map((version): Request => ({
      method: "POST",
      path,
      body: { apiVersion: `${groupOf(path)}/${version}`, kind },
    })),
  ),
  // A token is another one each time: these have fields that are refused, or are only tried.
  ...bound.map((boundObjectRef): Request => ({ method: "POST", path: token, body: { spec: { boundObjectRef } } })),
  ...[{ audiences }, { audiences, expirationSeconds: 599 }, { audiences, expirationSeconds: null }].map(
    (spec): Request => ({ method: "POST", path: token, body: { spec } }),
  ),
];
