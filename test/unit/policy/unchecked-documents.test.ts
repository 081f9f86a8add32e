import { describe, expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { Policy } from "../../../src/model/generated/policy.ts";
import type { PolicyOptions } from "../../../src/policy/evaluate-policies.ts";
import { evaluatePolicies } from "../../../src/policy/evaluate-policies.ts";
import type { PolicySubject } from "../../../src/policy/policy-subject.ts";
import { clusterOf, policyOf, subjectOf, tokenOf } from "./policy-builders.ts";

/** Stopped at a document whose list is long. */
const costly = "object.list.all(item, item != '')";
const small = (name: string): PolicySubject => subjectOf({ ...clusterOf(name), list: ["x"] });
const long = (name: string): PolicySubject =>
  subjectOf({ ...clusterOf(name), list: Array.from({ length: 100 }, () => "x") });
const token = subjectOf(tokenOf("t", {}));

/** Names of the documents of which it is not known whether they keep every rule, and the problems. */
function check(
  policies: readonly Declared<Policy>[],
  subjects: readonly PolicySubject[],
  { limits = {}, ...options }: Pick<PolicyOptions, "mode" | "limits"> = {},
) {
  const unchecked: string[] = [];
  const problems = evaluatePolicies(policies, subjects, {
    ...options,
    limits: { unitsPerEvaluation: 50, ...limits },
    onUnchecked: ({ object }) => void unchecked.push(object.metadata.name),
  });
  return { unchecked, problems: problems.map(({ code, object }) => `${code} ${object ?? ""}`.trim()) };
}

describe("documents that a stopped rule did not check", () => {
  it("are the one at which it was stopped, and those after it", () => {
    const { unchecked, problems } = check([policyOf(costly)], [small("a"), long("b"), small("c"), small("d")]);
    expect(unchecked).toEqual(["b", "c", "d"]);
    expect(problems).toEqual(["E_POLICY_EXPRESSION"]);
  });

  it("are none where no rule was stopped", () => {
    expect(check([policyOf(costly)], [small("a"), small("b")])).toEqual({ unchecked: [], problems: [] });
  });

  it("are none that the policy is not for", () => {
    const policy = policyOf(costly, { scope: { kinds: ["Cluster"] } });
    expect(check([policy], [token, long("a"), token, small("b")]).unchecked).toEqual(["a", "b"]);
    const elsewhere = policyOf(costly, { namespace: "labs" });
    expect(check([elsewhere], [long("a"), small("b")]).unchecked).toEqual([]);
  });

  it.each<{ reason: string; severity: "Error" | "Warning"; mode: "Enforce" | "Warn"; unchecked: string[] }>([
    { reason: "an error", severity: "Error", mode: "Enforce", unchecked: ["a", "b"] },
    { reason: "a warning", severity: "Warning", mode: "Enforce", unchecked: [] },
    { reason: "a warning because the Repository declares it", severity: "Error", mode: "Warn", unchecked: [] },
  ])("are $unchecked where a violation is $reason", ({ severity, mode, unchecked }) => {
    expect(check([policyOf({ expression: costly, severity })], [long("a"), small("b")], { mode }).unchecked).toEqual(
      unchecked,
    );
  });

  it.each<{ severity: "Error" | "Warning"; expected: string[] }>([
    { severity: "Error", expected: ["a", "b"] },
    { severity: "Warning", expected: [] },
  ])("are checked by the other rules all the same, of the same policy and of others ($severity)", (row) => {
    const both = policyOf({ expression: costly, severity: row.severity });
    both.object.spec.rules.push({ expression: "false", message: "never" });
    const { unchecked, problems } = check([both, policyOf("false")], [long("a"), small("b")]);
    expect(unchecked).toEqual(row.expected);
    expect(problems.sort()).toEqual([
      "E_POLICY Cluster/fleet/a",
      "E_POLICY Cluster/fleet/a",
      "E_POLICY Cluster/fleet/b",
      "E_POLICY Cluster/fleet/b",
      "E_POLICY_EXPRESSION",
    ]);
  });

  it("stay unchecked after another rule was stopped that only warns", () => {
    const warning = policyOf({ expression: `${costly} || true`, severity: "Warning" });
    const other = policyOf({ expression: "object.more.all(item, item != '')" });
    const more = Array.from({ length: 100 }, () => "x");
    const subjects = [
      subjectOf({ ...clusterOf("a"), list: ["x"], more }),
      subjectOf({ ...clusterOf("b"), list: more, more: [] }),
      subjectOf({ ...clusterOf("c"), list: ["x"], more: [] }),
    ];
    expect(check([warning, other], subjects).unchecked).toEqual(["a", "b", "c"]);
  });

  it.each<{ severity: "Error" | "Warning"; names: string[] }>([
    { severity: "Error", names: ["b", "t", "c"] },
    { severity: "Warning", names: [] },
  ])(
    "are $names once all that the rules may cost is spent: it is not asked any more whom a rule of severity $severity is for",
    ({ severity, names }) => {
      const policy = policyOf(
        { expression: "object.list.all(item, item != '')", severity },
        { scope: { kinds: ["Cluster"] } },
      );
      // The first document costs all that there is.
      const limits = { unitsPerEvaluation: 10_000, units: 100, unitsPerDocument: 0 };
      const { unchecked, problems } = check([policy], [long("a"), small("b"), token, small("c")], { limits });
      expect(problems).toEqual(["E_POLICY_EXPRESSION"]);
      expect(unchecked.filter((name) => name !== "a")).toEqual(names);
    },
  );

  it("are those after the end of what may be spent also where a warning was stopped beside a rule that blocks", () => {
    const both = policyOf({ expression: costly, severity: "Warning" });
    both.object.spec.rules.push({ expression: costly, message: "no" });
    const warning = policyOf({ expression: costly, severity: "Warning" });
    const limits = { unitsPerEvaluation: 10_000, units: 100, unitsPerDocument: 0 };
    for (const policies of [[both], [warning, both], [both, warning]])
      expect(check(policies, [long("a"), small("b"), token], { limits }).unchecked).toEqual(["a", "b", "t"]);
  });

  it("stop no rule of another policy while something is left to spend", () => {
    const warning = policyOf({ expression: costly, severity: "Warning" });
    const { unchecked, problems } = check([warning, policyOf("false")], [long("a"), small("b")]);
    expect(unchecked).toEqual([]);
    expect(problems.sort()).toEqual(["E_POLICY Cluster/fleet/a", "E_POLICY Cluster/fleet/b", "E_POLICY_EXPRESSION"]);
  });

  it("are reported although no caller asks for them", () => {
    expect(() =>
      evaluatePolicies([policyOf(costly)], [long("a")], { limits: { unitsPerEvaluation: 50 } }),
    ).not.toThrow();
  });
});

describe("what policies may cost together", () => {
  const rule = policyOf("true");
  const subjects = Array.from({ length: 10 }, (_, index) => small(`c${index}`));
  // Two units for the question, and a fifth for the read.
  const perSubject = 2.2;

  it.each([
    { reason: "the sum for its documents", limits: { units: 0, unitsPerDocument: 3 }, isStopped: false },
    { reason: "less than its documents need", limits: { units: 0, unitsPerDocument: 1 }, isStopped: true },
    { reason: "a part for all beside the documents", limits: { units: 25, unitsPerDocument: 0 }, isStopped: false },
    { reason: "too small a part for all", limits: { units: 10, unitsPerDocument: 0 }, isStopped: true },
    {
      reason: "the most for all",
      limits: { units: 1000, unitsPerDocument: 1000, mostUnits: 10 * perSubject - 5 },
      isStopped: true,
    },
  ])("is $reason (stopped: $isStopped)", ({ limits, isStopped }) => {
    expect(check([rule], subjects, { limits }).unchecked.length > 0).toBe(isStopped);
  });
});
