import { describe, expect, it } from "vitest";
import { validatingPolicy } from "../../../src/model/validating-policy.ts";

const spec = { matchConstraints: { resourceRules: [] } };

describe("validatingPolicy", () => {
  it.each([
    { action: undefined, failurePolicy: "Fail", actions: ["Deny"] },
    { action: "Deny" as const, failurePolicy: "Fail", actions: ["Deny"] },
    { action: "Warn" as const, failurePolicy: "Ignore", actions: ["Warn"] },
  ])("binds a policy that is to $action, with failurePolicy $failurePolicy", ({ action, failurePolicy, actions }) => {
    const [policy, binding] = validatingPolicy("some", spec, action);
    expect(policy).toMatchObject({ metadata: { name: "some" }, spec: { ...spec, failurePolicy } });
    expect(binding).toMatchObject({ spec: { policyName: "some", validationActions: actions } });
  });
});
