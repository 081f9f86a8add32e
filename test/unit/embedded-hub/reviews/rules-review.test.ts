import { describe, expect, it } from "vitest";
import { createRbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
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
});
