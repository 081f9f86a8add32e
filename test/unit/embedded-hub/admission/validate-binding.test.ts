import { describe, expect, it } from "vitest";
import { validateBinding } from "../../../../src/embedded-hub/admission/validate-binding.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Change } from "../validation/validation-builders.ts";
import { changed, problemsOf } from "../validation/validation-builders.ts";

const binding: KubeObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: "b" },
  spec: { policyName: "p.example.org", validationActions: ["Deny"] },
};
const param = "spec.paramRef";
const selector = { matchLabels: { a: "b" } };

describe("validateBinding", () => {
  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [], problems: [] },
    { changes: [["spec.policyName", ""]], problems: ["Required spec.policyName"] },
    { changes: [["spec.policyName", "A"]], problems: ["Invalid spec.policyName"] },
    { changes: [[param, { name: "a", parameterNotFoundAction: "Deny" }]], problems: [] },
    { changes: [[param, { selector, parameterNotFoundAction: "Allow" }]], problems: [] },
    { changes: [[param, { name: "a/b", parameterNotFoundAction: "Deny" }]], problems: [`Invalid ${param}.name`] },
    { changes: [[param, { parameterNotFoundAction: "Deny" }]], problems: [`Required ${param}`] },
    { changes: [[param, { name: "a" }]], problems: [`Required ${param}.parameterNotFoundAction`] },
    {
      changes: [[param, { name: "a", parameterNotFoundAction: "Ask" }]],
      problems: [`NotSupported ${param}.parameterNotFoundAction`],
    },
    {
      changes: [[param, { name: "a", selector, parameterNotFoundAction: "Deny" }]],
      problems: [`Forbidden ${param}.name`, `Forbidden ${param}.selector`],
    },
    {
      changes: [["spec.matchResources", { resourceRules: [{}] }]],
      problems: ["Required spec.matchResources.resourceRules[0].operations"],
    },
    { changes: [["spec.validationActions", []]], problems: ["Required spec.validationActions"] },
    { changes: [["spec.validationActions", ["Odd"]]], problems: ["NotSupported spec.validationActions[0]"] },
    { changes: [["spec.validationActions", ["Audit", "Audit"]]], problems: ["Duplicate spec.validationActions[1]"] },
    { changes: [["spec.validationActions", ["Deny", "Warn"]]], problems: ["Invalid spec.validationActions"] },
    { changes: [["spec.validationActions", ["Audit", "Warn"]]], problems: [] },
  ])("finds $problems with $changes", ({ changes, problems }) => {
    const found = problemsOf(validateBinding(changed(binding, ...changes)));
    // What resources match has tests of its own.
    expect(found.filter((problem) => problems.includes(problem) || !problem.includes("matchResources"))).toEqual(
      problems,
    );
  });
});
