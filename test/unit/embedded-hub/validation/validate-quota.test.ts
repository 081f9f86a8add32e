import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateQuota } from "../../../../src/embedded-hub/validation/validate-quota.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

function quota(spec: JsonObject, status: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "a", namespace: "shop" }, spec, status };
}

const select = (...matchExpressions: JsonObject[]): JsonObject => ({ scopeSelector: { matchExpressions } });
const path = "spec.scopeSelector.matchExpressions";

describe("validateQuota", () => {
  it.each<{ hard: JsonObject; problems: readonly string[] }>([
    { hard: { pods: "5", "requests.cpu": "500m", "count/deployments.apps": "5" }, problems: [] },
    { hard: { pods: "0" }, problems: [] },
    { hard: { pods: "-1" }, problems: ["Invalid spec.hard[pods]"] },
    { hard: { pods: "500m" }, problems: ["Invalid spec.hard[pods]"] },
    { hard: { secrets: "1500m" }, problems: ["Invalid spec.hard[secrets]"] },
    { hard: { "acme.io/gpu": "500m" }, problems: ["Invalid spec.hard[acme.io/gpu]"] },
    { hard: { storage: "1" }, problems: ["Invalid spec.hard[storage]"] },
    { hard: { odd: "1" }, problems: ["Invalid spec.hard[odd]", "Invalid spec.hard[odd]"] },
    { hard: { "hugepages-2Mi": "2Mi", "requests.hugepages-2Mi": "2Mi" }, problems: [] },
  ])("finds $problems in the amounts $hard", ({ hard, problems }) => {
    expect(problemsOf(validateQuota(quota({ hard }), undefined))).toEqual(problems);
    const ofStatus = problems.map((problem) => problem.replace("spec.", "status."));
    expect(
      problemsOf(validateQuota(quota({ hard: { odd: "-1" } }, { hard }), undefined, { subresource: "status" })),
    ).toEqual(ofStatus);
    const ofUsed = problems.map((problem) => problem.replace("spec.hard", "status.used"));
    expect(problemsOf(validateQuota(quota({}, { used: hard }), undefined, { subresource: "status" }))).toEqual(ofUsed);
  });

  it.each<{ scopes: string[]; hard: JsonObject; problems: readonly string[] }>([
    { scopes: ["BestEffort"], hard: { pods: "1" }, problems: [] },
    { scopes: ["BestEffort"], hard: { cpu: "1" }, problems: ["Invalid spec.scopes"] },
    { scopes: ["NotBestEffort", "Terminating"], hard: { cpu: "1", "limits.memory": "1" }, problems: [] },
    { scopes: ["NotTerminating"], hard: { secrets: "1" }, problems: ["Invalid spec.scopes"] },
    { scopes: ["NotTerminating"], hard: { "acme.io/x": "1" }, problems: [] },
    { scopes: ["Odd"], hard: {}, problems: ["Invalid spec.scopes"] },
    { scopes: ["toString"], hard: {}, problems: ["Invalid spec.scopes"] },
    { scopes: ["BestEffort", "NotBestEffort"], hard: {}, problems: ["Invalid spec.scopes"] },
    { scopes: ["Terminating", "NotTerminating"], hard: {}, problems: ["Invalid spec.scopes"] },
    { scopes: ["VolumeAttributesClass"], hard: { "requests.storage": "1" }, problems: [] },
    { scopes: ["VolumeAttributesClass"], hard: { pods: "1" }, problems: ["Invalid spec.scopes"] },
  ])("finds $problems with the scopes $scopes on $hard", ({ scopes, hard, problems }) => {
    expect(problemsOf(validateQuota(quota({ scopes, hard }), undefined))).toEqual(problems);
  });

  it("names what is wrong in the order of the scopes", () => {
    const errors = validateQuota(quota({ scopes: ["BestEffort", "Odd"], hard: { cpu: "1" } }), undefined);
    expect(errors.map(({ message }) => message.split(": ").at(-1))).toEqual([
      "unsupported scope applied to resource",
      "unsupported scope",
    ]);
  });

  it.each([
    { before: ["BestEffort"], after: ["BestEffort"], isKept: true },
    { before: ["BestEffort", "Terminating"], after: ["Terminating", "BestEffort"], isKept: true },
    { before: ["BestEffort"], after: ["BestEffort", "Terminating"], isKept: false },
    { before: ["BestEffort", "Terminating"], after: ["BestEffort"], isKept: false },
    { before: [], after: ["BestEffort"], isKept: false },
    { before: ["BestEffort"], after: [], isKept: false },
  ])("keeps its scopes $before, here as $after: $isKept", ({ before, after, isKept }) => {
    const problems = problemsOf(validateQuota(quota({ scopes: after }), quota({ scopes: before })));
    expect(problems).toEqual(isKept ? [] : ["Invalid spec.scopes"]);
  });

  it.each<{ expression: JsonObject; hard?: JsonObject; problems: readonly string[] }>([
    { expression: { scopeName: "PriorityClass", operator: "In", values: ["high"] }, problems: [] },
    { expression: { scopeName: "PriorityClass", operator: "NotIn" }, problems: [`Required ${path}.values`] },
    {
      expression: { scopeName: "PriorityClass", operator: "Exists", values: ["x"] },
      problems: [`Invalid ${path}.values`],
    },
    { expression: { scopeName: "PriorityClass", operator: "DoesNotExist" }, problems: [] },
    { expression: { scopeName: "PriorityClass", operator: "Odd" }, problems: [`Invalid ${path}.operator`] },
    { expression: { scopeName: "Terminating", operator: "Exists" }, problems: [] },
    { expression: { scopeName: "Terminating", operator: "In", values: ["x"] }, problems: [`Invalid ${path}.operator`] },
    { expression: { scopeName: "Odd", operator: "Exists" }, problems: [`Invalid ${path}.scopeName`] },
    { expression: { scopeName: "BestEffort", operator: "Exists" }, hard: { cpu: "1" }, problems: [`Invalid ${path}`] },
  ])("finds $problems in the selector $expression on $hard", ({ expression, hard = {}, problems }) => {
    expect(problemsOf(validateQuota(quota({ ...select(expression), hard }), undefined))).toEqual(problems);
  });

  it("finds selectors that contradict each other", () => {
    const both = select(
      { scopeName: "Terminating", operator: "Exists" },
      { scopeName: "NotTerminating", operator: "Exists" },
    );
    expect(problemsOf(validateQuota(quota(both), undefined))).toEqual([`Invalid ${path}`]);
  });
});
