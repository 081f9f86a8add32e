import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateDisruptionBudget,
  validateLease,
  validateNamespace,
  validatePriorityClass,
} from "../../../../src/embedded-hub/validation/validate-small-kinds.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

const at = (subresource?: string) => ({
  ...{ now: "", user: { username: "a", groups: [] }, warnings: [] },
  ...(subresource === undefined ? {} : { subresource }),
});

function made(kind: string, content: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "a", ...metadata }, ...content };
}

describe("validateDisruptionBudget", () => {
  it.each<{ spec: JsonObject; problems: readonly string[] }>([
    { spec: { minAvailable: 1, selector: {} }, problems: [] },
    { spec: { maxUnavailable: "100%" }, problems: [] },
    { spec: { minAvailable: 1, maxUnavailable: 1 }, problems: ["Invalid spec"] },
    { spec: { minAvailable: -1 }, problems: ["Invalid spec.minAvailable"] },
    { spec: { minAvailable: 0 }, problems: [] },
    { spec: { maxUnavailable: "x" }, problems: ["Invalid spec.maxUnavailable"] },
    { spec: { maxUnavailable: "101%" }, problems: ["Invalid spec.maxUnavailable"] },
    { spec: { selector: { matchLabels: { "a b": "" } } }, problems: ["Invalid spec.selector.matchLabels"] },
    { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" }, problems: [] },
    { spec: { unhealthyPodEvictionPolicy: "Odd" }, problems: ["NotSupported spec.unhealthyPodEvictionPolicy"] },
  ])("finds $problems in $spec", ({ spec, problems }) => {
    expect(problemsOf(validateDisruptionBudget(made("PodDisruptionBudget", { spec }), undefined, at()))).toEqual(
      problems,
    );
  });

  it("counts nothing below 0 in its status", () => {
    for (const name of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]) {
      const of = (count: number) => {
        const budget = made("PodDisruptionBudget", { spec: { minAvailable: -1 }, status: { [name]: count } });
        return problemsOf(validateDisruptionBudget(budget, budget, at("status")));
      };
      expect([of(-1), of(0)]).toEqual([[`Invalid status.${name}`], []]);
    }
  });
});

it("prints a disruption budget with both counts as an API server does", () => {
  const selector = { matchLabels: { a: "b" } };
  const budget = made("PodDisruptionBudget", { spec: { maxUnavailable: 1, minAvailable: "1%", selector } });
  const printed = `{"MinAvailable":"1%","Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}`;
  expect(validateDisruptionBudget(budget, undefined, at())[0]?.message).toBe(
    `Invalid value: ${printed}: minAvailable and maxUnavailable cannot be both set`,
  );
});

describe("validatePriorityClass", () => {
  it.each<{ name?: string; content: JsonObject; problems: readonly string[] }>([
    { content: { value: 1_000_000_000 }, problems: [] },
    { content: { value: 1_000_000_001 }, problems: ["Forbidden value"] },
    { content: { value: 1, preemptionPolicy: "Odd" }, problems: ["NotSupported preemptionPolicy"] },
    { content: { value: 1, preemptionPolicy: "" }, problems: ["Required preemptionPolicy"] },
    { name: "system-cluster-critical", content: { value: 2_000_000_000 }, problems: [] },
    { name: "system-cluster-critical", content: { value: 1 }, problems: ["Forbidden metadata.name"] },
    {
      name: "system-node-critical",
      content: { value: 2_000_001_000, globalDefault: true },
      problems: ["Forbidden metadata.name"],
    },
    { name: "system-toString", content: { value: 1 }, problems: ["Forbidden metadata.name"] },
  ])("finds $problems in $name $content", ({ name = "a", content, problems }) => {
    expect(problemsOf(validatePriorityClass(made("PriorityClass", content, { name }), undefined))).toEqual(problems);
  });

  it("keeps value and policy, the default policy included", () => {
    const change = (before: JsonObject, after: JsonObject) =>
      problemsOf(validatePriorityClass(made("PriorityClass", after), made("PriorityClass", before)));
    expect(change({ value: 1 }, { value: 1, preemptionPolicy: "PreemptLowerPriority" })).toEqual([]);
    expect(change({ value: 1 }, { value: 1, preemptionPolicy: "Never" })).toEqual(["Invalid preemptionPolicy"]);
    expect(change({ value: 1 }, { value: 2 })).toEqual(["Forbidden value"]);
    expect(change({}, { value: 0 })).toEqual([]);
  });
});

describe("validateNamespace", () => {
  const namespace = (phase: string, metadata: JsonObject = {}, ...finalizers: string[]) =>
    made("Namespace", { spec: { finalizers }, status: { phase } }, metadata);
  const leaving = { deletionTimestamp: "2026-01-02T03:04:05Z" };

  it.each([
    { phase: "Active", metadata: {}, problems: [] },
    { phase: "Terminating", metadata: {}, problems: ["Invalid status.Phase"] },
    { phase: "Terminating", metadata: leaving, problems: [] },
    { phase: "Active", metadata: leaving, problems: ["Invalid status.Phase"] },
    { phase: "", metadata: {}, problems: ["Invalid status.Phase"] },
  ])("finds $problems in the phase $phase of $metadata", ({ phase, metadata, problems }) => {
    const one = namespace(phase, metadata, "odd");
    expect(problemsOf(validateNamespace(one, one, at("status")))).toEqual(problems);
  });

  it.each([
    { finalizers: ["kubernetes", "orphan", "foregroundDeletion", "a.io/b"], problems: [] },
    { finalizers: ["odd"], problems: ["Invalid spec.finalizers"] },
    { finalizers: ["a b/c"], problems: ["Invalid spec.finalizers"] },
  ])("finds $problems in the finalizers $finalizers", ({ finalizers, problems }) => {
    const one = namespace("Active", {}, ...finalizers);
    expect(problemsOf(validateNamespace(one, undefined, at()))).toEqual(problems);
    const indexed = problems.map((problem) => `${problem}[0]`);
    expect(problemsOf(validateNamespace(one, one, at("finalize")))).toEqual(indexed);
    expect(validateNamespace(one, one, at())).toEqual([]);
  });
});

describe("validateLease", () => {
  it.each([
    { spec: { leaseDurationSeconds: 1, leaseTransitions: 0 }, problems: [] },
    { spec: { leaseDurationSeconds: 0 }, problems: ["Invalid spec.leaseDurationSeconds"] },
    { spec: { leaseTransitions: -1 }, problems: ["Invalid spec.leaseTransitions"] },
    { spec: {}, problems: [] },
  ])("finds $problems in $spec", ({ spec, problems }) => {
    expect(problemsOf(validateLease(made("Lease", { spec })))).toEqual(problems);
  });
});
