import { describe, expect, it } from "vitest";
import { validatePolicy } from "../../../../src/embedded-hub/admission/validate-policy.ts";
import { validateConditions } from "../../../../src/embedded-hub/validation/validate-conditions.ts";
import { validateDisruptionBudget } from "../../../../src/embedded-hub/validation/validate-small-kinds.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

const right = {
  type: "Ready",
  status: "True",
  reason: "Done",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

describe("validateConditions", () => {
  it.each([
    { change: {}, problems: [] },
    { change: { type: "example.org/Ready", status: "Unknown", reason: "A_b:c,d1" }, problems: [] },
    { change: { type: "a b" }, problems: ["Invalid type"] },
    { change: { status: "Odd" }, problems: ["NotSupported status"] },
    { change: { observedGeneration: -1 }, problems: ["Invalid observedGeneration"] },
    { change: { observedGeneration: 0 }, problems: [] },
    { change: { lastTransitionTime: null }, problems: ["Required lastTransitionTime"] },
    { change: { reason: "" }, problems: ["Required reason"] },
    { change: { reason: "1" }, problems: ["Invalid reason"] },
    { change: { reason: "a," }, problems: ["Invalid reason"] },
    { change: { reason: "r".repeat(1024), message: "m".repeat(32_768) }, problems: [] },
    { change: { reason: "r".repeat(1025) }, problems: ["TooLong reason"] },
    { change: { message: "ü".repeat(16_385) }, problems: ["TooLong message"] },
  ])("finds $problems", ({ change, problems }) => {
    const found = problemsOf(validateConditions([{ ...right, ...change }], "status.conditions"));
    expect(found).toEqual(problems.map((problem) => problem.replace(" ", " status.conditions[0].")));
  });

  it("finds each repeated type", () => {
    const found = problemsOf(validateConditions([right, { ...right, type: "Other" }, right, right], "c"));
    expect(found).toEqual(["Duplicate c[2].type", "Duplicate c[3].type"]);
  });

  it.each([
    { kind: "PodDisruptionBudget", validate: validateDisruptionBudget },
    { kind: "ValidatingAdmissionPolicy", validate: validatePolicy },
  ])("is asked of the status of a $kind", ({ kind, validate }) => {
    const conditions = [{ ...right, status: "Odd" }];
    const object: KubeObject = { apiVersion: "v1", kind, metadata: { name: "a" }, status: { conditions } };
    const context = { subresource: "status" } as Parameters<typeof validateDisruptionBudget>[2];
    expect(problemsOf(validate(object, object, context))).toEqual(["NotSupported status.conditions[0].status"]);
  });

  it("has beside it the warnings that a policy reports of its expressions", () => {
    const expressionWarnings = [{ fieldRef: "spec.a", warning: "w" }, { fieldRef: " " }];
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "a" },
      status: { typeChecking: { expressionWarnings } },
    };
    const path = "status.typeChecking.expressionWarnings[1]";
    const found = problemsOf(validatePolicy(object, object, { subresource: "status" }));
    expect(found).toEqual([`Required ${path}.warning`, `Required ${path}.fieldRef`]);
  });
});
