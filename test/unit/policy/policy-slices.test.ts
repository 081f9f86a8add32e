import { describe, expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { Policy } from "../../../src/model/generated/policy.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { PolicySubject } from "../../../src/policy/policy-subject.ts";
import { evaluatePolicies, evaluatePoliciesInSlices } from "../../../src/policy/evaluate-policies.ts";
import { clusterOf, policyOf, subjectOf } from "./policy-builders.ts";

/** How often other work of the process may run, besides once for each policy that is compiled. */
async function pausesOf(policies: readonly Declared<Policy>[], subjects: readonly PolicySubject[]): Promise<number> {
  let pauses = 0;
  await evaluatePoliciesInSlices(policies, subjects, { pause: async () => void (pauses += 1) });
  return pauses - policies.length;
}

const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const keysOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

function documentOf(kind: string, fields: object = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "d", namespace: "fleet" }, ...fields };
}

describe("evaluatePoliciesInSlices", () => {
  it("finds what an evaluation without pauses finds", async () => {
    const policies = [policyOf("false"), policyOf("1 +"), policyOf({ expression: "object.none", severity: "Warning" })];
    const subjects = ["b", "a"].map((name) => subjectOf(clusterOf(name)));
    const problems = await evaluatePoliciesInSlices(policies, subjects, { pause: () => Promise.resolve() });
    expect(problems.map(({ code, object }) => `${code} ${object}`)).toEqual([
      "E_POLICY Cluster/fleet/a",
      "W_POLICY Cluster/fleet/a",
      "E_POLICY Cluster/fleet/b",
      "W_POLICY Cluster/fleet/b",
      "E_POLICY_EXPRESSION Policy/house",
    ]);
    expect(problems).toEqual(evaluatePolicies(policies, subjects));
  });

  it("pauses after each policy that it compiles", async () => {
    for (const count of [0, 1, 3]) expect(await pausesOf(many(count, policyOf("1 +")), [])).toBe(0);
  });

  const forOther = policyOf("true", { scope: { kinds: ["ClusterGroup"] } });

  it.each([
    { reason: "reads of a policy for another kind", policies: [forOther], count: 50_000 },
    { reason: "reads of two such policies", policies: [forOther, forOther], count: 25_000 },
    { reason: "rules that cost nothing, and are asked", policies: [policyOf("true")], count: 16_667 },
    { reason: "rules that cost something", policies: [policyOf("1 == 1")], count: 12_500 },
  ])("pauses after fifty thousand units of $reason", async ({ policies, count }) => {
    const subject = subjectOf(clusterOf("a"));
    const pauses: number[] = [];
    for (const documents of [count - 1, count, 2 * count])
      pauses.push(await pausesOf(policies, many(documents, subject)));
    expect(pauses).toEqual([0, 1, 2]);
  });

  it("reads no policy without a rule that compiles", async () => {
    expect(await pausesOf([policyOf("1 +")], many(60_000, subjectOf(clusterOf("a"))))).toBe(0);
  });

  // With the read and the question that makes 50,000.
  const secretKeys = 49_997;

  it.each<{ reason: string; kind?: string; fields: object; oldFields?: object; rules?: number; pauses: number }>([
    { reason: "data", fields: { data: keysOf(secretKeys) }, pauses: 1 },
    { reason: "one key less", fields: { data: keysOf(secretKeys - 1) }, pauses: 0 },
    { reason: "stringData", fields: { stringData: keysOf(secretKeys) }, pauses: 1 },
    { reason: "both", fields: { data: keysOf(secretKeys - 9), stringData: keysOf(9) }, pauses: 1 },
    { reason: "data before", fields: { data: null }, oldFields: { data: keysOf(secretKeys) }, pauses: 1 },
    {
      reason: "data now and before",
      fields: { data: keysOf(9) },
      oldFields: { data: keysOf(secretKeys - 9) },
      pauses: 1,
    },
    { reason: "the data of a ConfigMap", kind: "ConfigMap", fields: { data: keysOf(secretKeys) }, pauses: 0 },
    { reason: "data that two rules are asked about", fields: { data: keysOf(25_000) }, rules: 2, pauses: 0 },
  ])(
    "counts the keys of Secrets, which are copied: $reason",
    async ({ kind = "Secret", fields, oldFields, ...rest }) => {
      const policy = policyOf("true", { scope: { kinds: [kind] } });
      const { rules } = policy.object.spec;
      policy.object.spec.rules = many(rest.rules ?? 1, rules).flat();
      const oldObject = oldFields && documentOf(kind, oldFields);
      const subject = subjectOf(documentOf(kind, fields), oldObject === undefined ? {} : { oldObject });
      expect(await pausesOf([policy], [subject])).toBe(rest.pauses);
    },
  );
});
