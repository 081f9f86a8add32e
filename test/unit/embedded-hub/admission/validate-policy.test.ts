import { describe, expect, it } from "vitest";
import { validatePolicy } from "../../../../src/embedded-hub/admission/validate-policy.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Change } from "../validation/validation-builders.ts";
import { changed, problemsOf } from "../validation/validation-builders.ts";

const policy: KubeObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "p.example.org" },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [
        { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"], scope: "*" },
      ],
    },
    variables: [{ name: "size", expression: "1" }],
    validations: [{ expression: "variables.size == 1", reason: "Invalid" }],
    auditAnnotations: [{ key: "seen", valueExpression: "'yes'" }],
  },
};
const [variable, validation, annotation] = ["spec.variables[0]", "spec.validations[0]", "spec.auditAnnotations[0]"];
const annotations = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, valueExpression: "'a'" }));

describe("validatePolicy", () => {
  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [], problems: [] },
    { changes: [["spec.failurePolicy", "Never"]], problems: ["NotSupported spec.failurePolicy"] },
    { changes: [["spec.failurePolicy", undefined]], problems: [] },
    { changes: [["spec.matchConstraints", undefined]], problems: ["Required spec.matchConstraints"] },
    {
      changes: [["spec.matchConstraints.resourceRules", []]],
      problems: ["Required spec.matchConstraints.resourceRules"],
    },
    { changes: [["spec.paramKind", { apiVersion: "v1", kind: "ConfigMap" }]], problems: [] },
    { changes: [["spec.paramKind", { apiVersion: "example.org/v1", kind: "Limit" }]], problems: [] },
    { changes: [["spec.paramKind", { apiVersion: "", kind: "" }]], problems: paramProblems("Required", "Required") },
    {
      changes: [["spec.paramKind", { apiVersion: "a/b/c", kind: "a b" }]],
      problems: paramProblems("Invalid", "Invalid"),
    },
    { changes: [["spec.paramKind", { apiVersion: "a b/v1", kind: "A" }]], problems: paramProblems("Invalid") },
    { changes: [["spec.paramKind", { apiVersion: "a/", kind: "A" }]], problems: paramProblems("Invalid") },
    { changes: [["spec.paramKind", { apiVersion: "V 1", kind: "A" }]], problems: paramProblems("Invalid") },
    {
      changes: [["spec.variables.0.name", " "]],
      problems: [`Required ${variable}.name`, `Invalid ${validation}.expression`],
    },
    {
      changes: [["spec.variables.0.name", "1a"]],
      problems: [`Invalid ${variable}.name`, `Invalid ${validation}.expression`],
    },
    {
      changes: [["spec.variables.0.name", "a-b"]],
      problems: [`Invalid ${variable}.name`, `Invalid ${validation}.expression`],
    },
    {
      changes: [["spec.variables.0.name", "in"]],
      problems: [`Invalid ${variable}.name`, `Invalid ${validation}.expression`],
    },
    {
      changes: [["spec.variables.0.expression", " "]],
      problems: [`Required ${variable}.expression`],
    },
    { changes: [["spec.validations.0.expression", " "]], problems: [`Required ${validation}.expression`] },
    { changes: [["spec.validations.0.expression", "1 +"]], problems: [`Invalid ${validation}.expression`] },
    { changes: [["spec.validations.0.reason", "Odd"]], problems: [`NotSupported ${validation}.reason`] },
    { changes: [["spec.validations.0.message", " "]], problems: [`Invalid ${validation}.message`] },
    { changes: [["spec.validations.0.message", "a\nb"]], problems: [`Invalid ${validation}.message`] },
    { changes: [["spec.validations.0.message", " a\n"]], problems: [] },
    {
      changes: [["spec.validations.0.messageExpression", " "]],
      problems: [`Invalid ${validation}.messageExpression`],
    },
    {
      changes: [["spec.validations.0.messageExpression", "1"]],
      problems: [`Invalid ${validation}.messageExpression`],
    },
    { changes: [["spec.validations.0.messageExpression", "'a'"]], problems: [] },
    { changes: [["spec.auditAnnotations.0.key", "a b"]], problems: [`Invalid ${annotation}.key`] },
    {
      changes: [["spec.auditAnnotations.0.valueExpression", " "]],
      problems: [`Required ${annotation}.valueExpression`],
    },
    {
      changes: [["spec.auditAnnotations.0.valueExpression", "1"]],
      problems: [`Invalid ${annotation}.valueExpression`],
    },
    {
      changes: [["spec.auditAnnotations.0.valueExpression", `'${"a".repeat(5 * 1024)}'`]],
      problems: [`Required ${annotation}.valueExpression`],
    },
    { changes: [["spec.auditAnnotations.0.valueExpression", ` '${"a".repeat(5 * 1024 - 2)}' `]], problems: [] },
    { changes: [["spec.auditAnnotations", annotations(20)]], problems: [] },
    { changes: [["spec.auditAnnotations", annotations(21)]], problems: ["Invalid spec.auditAnnotations"] },
    {
      changes: [["spec.auditAnnotations", [...annotations(1), ...annotations(1)]]],
      problems: ["Duplicate spec.auditAnnotations[1].key"],
    },
    {
      changes: [
        ["spec.validations", []],
        ["spec.auditAnnotations", []],
      ],
      problems: ["Required spec.validations", "Required spec.auditAnnotations"],
    },
    { changes: [["spec.validations", []]], problems: [] },
    { changes: [["spec.auditAnnotations", []]], problems: [] },
  ])("finds $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validatePolicy(changed(policy, ...changes)))).toEqual(problems);
  });

  it("checks nothing of the spec in a status, and each warning of it", () => {
    const expressionWarnings = [{ fieldRef: "spec.validations[0].expression", warning: "odd" }, { fieldRef: " " }];
    const status = { ...policy, spec: {}, status: { typeChecking: { expressionWarnings } } };
    const path = "status.typeChecking.expressionWarnings[1]";
    expect(problemsOf(validatePolicy(status, policy, { subresource: "status" }))).toEqual([
      `Required ${path}.warning`,
      `Required ${path}.fieldRef`,
    ]);
  });
});

function paramProblems(version: string, kind?: string): string[] {
  return [`${version} spec.paramKind.apiVersion`, ...(kind === undefined ? [] : [`${kind} spec.paramKind.kind`])];
}
