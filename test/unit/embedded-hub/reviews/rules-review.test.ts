import { describe, expect, it } from "vitest";
import { createRbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import type { RbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import { reviewRules } from "../../../../src/embedded-hub/reviews/rules-review.ts";

const user = { username: "user", groups: [] };

describe("reviewRules", () => {
  it("answers with nothing of what was sent, not even its metadata", () => {
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      metadata: { name: "a", labels: { b: "c" } },
      spec: { namespace: "shop" },
      status: { incomplete: true },
    };
    expect(reviewRules(review, user, createRbacAuthorizer())).toEqual({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      metadata: {},
      spec: {},
      status: { resourceRules: [], nonResourceRules: [], incomplete: false },
    });
  });

  const rule = { verbs: ["get"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const held = {
    rules: [
      { ...rule, apiGroups: [""], resources: ["pods"], resourceNames: ["a"] },
      { ...rule, apiGroups: ["apps"], resources: ["deployments"] },
      { ...rule, nonResourceURLs: ["/healthz"] },
    ],
    errors: ["one", "two"],
  };

  it("parts the rules of resources and of paths, and names roles that do not exist: without them it is complete", () => {
    const authorizer = { rulesFor: (_user: unknown, namespace: string) => (namespace === "shop" ? held : undefined) };
    const spec = { namespace: "shop" };
    const review = { apiVersion: "a/v1", kind: "A", metadata: { name: "" }, spec };
    expect(reviewRules(review, user, authorizer as unknown as RbacAuthorizer)["status"]).toStrictEqual({
      resourceRules: [
        { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] },
        { verbs: ["get"], apiGroups: ["apps"], resources: ["deployments"] },
      ],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
      incomplete: false,
      evaluationError: "[one, two]",
    });
  });

  it.each([{}, { namespace: "" }])("is refused without a namespace: %j", (spec) => {
    const review = { apiVersion: "a/v1", kind: "A", metadata: { name: "" }, spec };
    expect(() => reviewRules(review, user, createRbacAuthorizer())).toThrow("no namespace on request");
  });
});
