import { describe, expect, it } from "vitest";
import { compilePaths } from "../../../src/core/path-patterns.ts";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { Policy } from "../../../src/model/generated/policy.ts";
import type { PolicyLimits } from "../../../src/policy/policy-limits.ts";
import { checkPolicy, evaluatePolicies } from "../../../src/policy/evaluate-policies.ts";
import { clusterOf, policyOf, subjectOf } from "./policy-builders.ts";

const documents = (count: number) => Array.from({ length: count }, (_, index) => subjectOf(clusterOf(`c${index}`)));

/** How many rules are stopped. */
function stoppedBy(policies: readonly Declared<Policy>[], count: number, limits: Partial<PolicyLimits>): number {
  const codes = evaluatePolicies(policies, documents(count), { limits }).map(({ code }) => code);
  return codes.filter((code) => code === "E_POLICY_EXPRESSION").length;
}

describe("the units that policies may cost together", () => {
  // Two for the question, and a fifth for the read; the last question needs no more than something that is left.
  const needed = 9 * 2.2 + 0.2;

  it.each([
    { reason: "for all", of: (units: number) => ({ units, unitsPerDocument: 0 }) },
    { reason: "for each document", of: (units: number) => ({ units: 0, unitsPerDocument: units / 10 }) },
    { reason: "for both", of: (units: number) => ({ units: units / 2, unitsPerDocument: units / 20 }) },
    { reason: "at most", of: (mostUnits: number) => ({ units: 1000, unitsPerDocument: 1000, mostUnits }) },
  ])("are those $reason", ({ of }) => {
    expect(stoppedBy([policyOf("true")], 10, of(needed + 0.1))).toBe(0);
    expect(stoppedBy([policyOf("true")], 10, of(needed - 0.1))).toBe(1);
  });

  const other = { paths: ["tokens/*.yaml"] };
  const own = { paths: ["clusters/*.yaml"] };

  /** `spent`: before the last of ten documents is checked; `beyond`: by the check of one. */
  it.each([
    { reason: "is for another kind", scope: { kinds: ["ClusterGroup"] }, spent: 10 * 0.2, beyond: 0 },
    { reason: "is for other paths", scope: other, spent: 9 * 1.2 + 0.2 + stepsOf(other, 9) / 20, beyond: 0 },
    { reason: "is for paths that match", scope: own, spent: 10 * 1.2 + 9 * 2 + stepsOf(own, 10) / 20, beyond: 0 },
    { reason: "has a rule that costs a unit", expression: "1 == 1", spent: 10 * 0.2 + 9 * 3, beyond: 1 },
  ])("are spent by a policy that $reason", ({ scope, expression = "true", spent, beyond }) => {
    const policy = policyOf(expression, scope === undefined ? {} : { scope });
    expect(stoppedBy([policy], 10, { units: spent + beyond + 0.1, unitsPerDocument: 0 })).toBe(0);
    expect(stoppedBy([policy], 10, { units: spent - 0.1, unitsPerDocument: 0 })).toBe(1);
  });

  it("are not spent any more by a policy whose rules were all stopped and only warn", () => {
    const costly = "[1, 2, 3, 4, 5, 6, 7, 8, 9].all(n, n > 0)";
    const needs = (severity: "Error" | "Warning", count: number): number => {
      const policies = [policyOf({ expression: costly, severity }), policyOf("true")];
      let units = 1;
      while (stoppedBy(policies, count, { units, unitsPerDocument: 0, unitsPerEvaluation: 10 }) > 1) units += 1;
      return units;
    };
    const more = (severity: "Error" | "Warning"): number => needs(severity, 101) - needs(severity, 1);
    expect(more("Warning")).toBe(220);
    expect(more("Error")).toBe(240);
  });

  it("end with an error at the rule, which names the document and what to avoid", () => {
    const policy = policyOf("true");
    policy.object.spec.rules.push({ expression: "[1, 2, 3].all(n, n > 0)", message: "no" });
    const [problem, ...others] = evaluatePolicies([policy], documents(2), {
      limits: { unitsPerEvaluation: 3 },
      locate: (_, path) => ({ file: "policies/house.yaml", line: 10 * Number(path[2]) + path.length, column: 7 }),
    });
    expect(problem).toEqual({
      code: "E_POLICY_EXPRESSION",
      severity: "error",
      file: "policies/house.yaml",
      line: 14,
      column: 7,
      message:
        "the expression costs too much (policy house, rule 2) and was stopped at Cluster/fleet/c0; no further document was checked by it",
      fix: "Avoid loops within loops over long lists, and patterns over long texts.",
    });
    expect(others).toEqual([]);
  });
});

/** What it costs to match the files of so many documents. */
function stepsOf({ paths }: { readonly paths: readonly string[] }, count: number): number {
  const compiled = compilePaths(paths);
  const before = compiled.steps;
  for (const { position } of documents(count)) compiled.matches(position.file);
  return compiled.steps - before;
}

describe("the characters of all expressions together", () => {
  const refusal = (limit: number) =>
    `the expression does not compile: all expressions together have more than ${limit} characters`;

  it.each([
    { limit: 12, refused: [] },
    { limit: 11, refused: [3] },
    { limit: 7, refused: [2, 3] },
    { limit: 3, refused: [1, 2, 3] },
  ])("are at most $limit: rules $refused of three with four characters each are refused", ({ limit, refused }) => {
    const policy = policyOf("true");
    policy.object.spec.rules.push(...["true", "true"].map((expression) => ({ expression, message: "no" })));
    const problems = evaluatePolicies([policy], documents(1), {
      limits: { expressionCharacters: limit },
      locate: (_, path) => ({ file: "policies/house.yaml", line: Number(path[2]) + 1, column: 1 }),
    });
    expect(problems.map(({ line, message }) => ({ line, message }))).toEqual(
      refused.map((line) => ({ line, message: refusal(limit) })),
    );
  });

  it("are at most a hundred thousand by default", () => {
    const longest = `true${" ".repeat(99_996)}`;
    expect(checkPolicy(policyOf(longest))).toEqual([]);
    expect(checkPolicy(policyOf(`${longest} `))).toMatchObject([{ message: refusal(100_000), object: "Policy/house" }]);
  });
});

describe("broken rules of one document", () => {
  it.each([
    { errors: 10, warnings: 0, more: [] },
    { errors: 11, warnings: 10, more: ["E_POLICY error: and 1 more broken rule"] },
    { errors: 10, warnings: 12, more: ["W_POLICY warning: and 2 more broken rules"] },
    {
      errors: 12,
      warnings: 11,
      more: ["E_POLICY error: and 2 more broken rules", "W_POLICY warning: and 1 more broken rule"],
    },
  ])(
    "are reported one by one up to ten errors and ten warnings: $errors and $warnings",
    ({ errors, warnings, more }) => {
      const policies = [
        ...Array.from({ length: errors }, () => policyOf("false")),
        ...Array.from({ length: warnings }, () => policyOf({ expression: "false", severity: "Warning" })),
      ];
      const problems = evaluatePolicies(policies, documents(1));
      const counted = problems.filter(({ message }) => message.startsWith("and "));
      expect(counted.map(({ code, severity, message }) => `${code} ${severity}: ${message}`)).toEqual(more);
      for (const { file, line, column, object } of counted)
        expect({ file, line, column, object }).toEqual({
          file: "clusters/c0.yaml",
          line: 1,
          column: 1,
          object: "Cluster/fleet/c0",
        });
      expect(problems).toHaveLength(Math.min(10, errors) + Math.min(10, warnings) + more.length);
    },
  );
});
