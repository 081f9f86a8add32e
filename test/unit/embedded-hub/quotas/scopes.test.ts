import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { isTerminating, podFitsScope, scopesOf } from "../../../../src/embedded-hub/quotas/scopes.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function podOf(spec: JsonObject, status: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec, status };
}

function fits(pod: KubeObject, name: string, operator = "Exists", values: readonly string[] = []): boolean {
  return podFitsScope(pod, { name, operator, values: new Set(values) });
}

describe("a scope of a quota", () => {
  it.each<readonly [JsonObject, boolean]>([
    [{}, false],
    [{ activeDeadlineSeconds: 0 }, true],
    [{ activeDeadlineSeconds: 5 }, true],
  ])("parts Pods by whether they have a deadline: %j", (spec, expected) => {
    const pod = podOf(spec);
    expect(isTerminating(pod)).toBe(expected);
    expect([fits(pod, "Terminating"), fits(pod, "NotTerminating")]).toEqual([expected, !expected]);
  });

  it.each(["BestEffort", "Burstable"])("parts Pods by whether they ask for something: %s", (qosClass) => {
    const pod = podOf({}, { qosClass });
    const expected = qosClass === "BestEffort";
    expect([fits(pod, "BestEffort"), fits(pod, "NotBestEffort")]).toEqual([expected, !expected]);
  });

  // Pods without a class, of class `high`, of class `low`. Source: Kubernetes, component-helpers scheduling/corev1.
  it.each<readonly [string, readonly string[], readonly boolean[]]>([
    ["Exists", [], [false, true, true]],
    ["DoesNotExist", [], [true, false, false]],
    ["In", ["high"], [false, true, false]],
    ["In", ["high", ""], [false, true, false]],
    ["NotIn", ["high"], [true, false, true]],
    ["NotIn", ["high", ""], [true, false, true]],
  ])("selects classes of priority: %s %j", (operator, values, expected) => {
    const pods = [{}, { priorityClassName: "high" }, { priorityClassName: "low" }].map((spec) => podOf(spec));
    expect(pods.map((pod) => fits(pod, "PriorityClass", operator, values))).toEqual(expected);
  });

  const required = (term: JsonObject) => ({ requiredDuringSchedulingIgnoredDuringExecution: [{}, term] });
  const preferred = (podAffinityTerm: JsonObject) => ({
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }, { weight: 1, podAffinityTerm }],
  });
  it.each<readonly [JsonObject, boolean]>([
    [{}, false],
    [{ podAffinity: required({ topologyKey: "a" }) }, false],
    [{ podAffinity: required({ namespaces: [] }) }, false],
    [{ podAffinity: required({ namespaces: ["a"] }) }, true],
    [{ podAntiAffinity: required({ namespaceSelector: {} }) }, true],
    [{ podAffinity: preferred({ namespaces: ["a"] }) }, true],
    [{ podAntiAffinity: preferred({ namespaceSelector: {} }) }, true],
    [{ podAntiAffinity: preferred({ topologyKey: "a" }) }, false],
    [{ nodeAffinity: required({ namespaces: ["a"] }) }, false],
  ])("selects Pods whose place depends on Pods of other namespaces: %j", (affinity, expected) => {
    expect(fits(podOf({ affinity }), "CrossNamespacePodAffinity")).toBe(expected);
  });

  it("that is unknown selects no Pod", () => {
    expect(fits(podOf({}), "VolumeAttributesClass")).toBe(false);
  });
});

it("the scopes of a quota are its list and its selector together", () => {
  const spec = {
    scopes: ["BestEffort"],
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["a", "b"] }] },
  };
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec };
  expect(scopesOf(quota)).toEqual([
    { name: "BestEffort", operator: "Exists", values: new Set() },
    { name: "PriorityClass", operator: "In", values: new Set(["a", "b"]) },
  ]);
});
