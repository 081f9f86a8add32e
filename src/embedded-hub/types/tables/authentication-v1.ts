import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, authentication.k8s.io/v1. */
export const authenticationV1: TypeTable = {
  group: "authentication.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.authentication.v1",
  types: {
    TokenReview: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 TokenReviewSpec always required",
      status: "3 TokenReviewStatus",
    },
    TokenReviewSpec: {
      token: "1 string",
      audiences: "2 []string atomic",
    },
    TokenReviewStatus: {
      authenticated: "1 bool",
      user: "2 UserInfo",
      audiences: "4 []string atomic",
      error: "3 string",
    },
    UserInfo: {
      username: "1 string",
      uid: "2 string",
      groups: "3 []string atomic",
      extra: "4 map ExtraValue",
    },
    TokenRequest: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 TokenRequestSpec always required",
      status: "3 TokenRequestStatus",
    },
    TokenRequestSpec: {
      audiences: "1 []string always required atomic",
      expirationSeconds: "4 *int64 always",
      boundObjectRef: "3 *BoundObjectReference always",
    },
    BoundObjectReference: {
      kind: "1 string",
      apiVersion: "2 string",
      name: "3 string",
      uid: "4 string",
    },
    TokenRequestStatus: {
      token: "1 string always required",
      expirationTimestamp: "2 Time always required",
    },
    SelfSubjectReview: {
      metadata: "1 meta.ObjectMeta",
      status: "2 SelfSubjectReviewStatus",
    },
    SelfSubjectReviewStatus: {
      userInfo: "1 UserInfo",
    },
  },
};
