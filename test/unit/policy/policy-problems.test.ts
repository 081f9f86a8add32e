import { describe, expect, it } from "vitest";
import type { PolicyRule } from "../../../src/model/generated/policy.ts";
import { collectViolations, describeDocument, isWarningOf, tooExpensive } from "../../../src/policy/policy-problems.ts";
import { clusterOf, subjectOf } from "./policy-builders.ts";

const named = (severity?: PolicyRule["severity"]) => ({
  name: "policy house, rule 1",
  rule: { expression: "false", message: "no", severity },
});
const broken = { kind: "bad", units: 1 } as const;
const failed = { kind: "failed", units: 1, detail: "no such key: hunter2" } as const;

describe("the problems of a document that breaks rules", () => {
  it("are ten errors and ten warnings at most, and how many more there are of each", () => {
    const violations = collectViolations(subjectOf(clusterOf("a")));
    for (let count = 0; count < 12; count++) violations.add(named(), broken);
    for (let count = 0; count < 11; count++) violations.add(named("Warning"), broken);
    const messages = violations.problems().map(({ code, severity, message }) => `${code} ${severity}: ${message}`);
    expect(messages.slice(0, 20).filter((message) => message.startsWith("E_POLICY error: no"))).toHaveLength(10);
    expect(messages.slice(20)).toEqual([
      "E_POLICY error: and 2 more broken rules",
      "W_POLICY warning: and 1 more broken rule",
    ]);
  });

  it("are all reported where there are ten", () => {
    const violations = collectViolations(subjectOf(clusterOf("a")));
    for (let count = 0; count < 10; count++) violations.add(named(), broken);
    expect(violations.problems()).toHaveLength(10);
  });

  it.each([
    { kind: "Cluster", detail: "; the rule could not be evaluated: no such key: hunter2" },
    { kind: "Secret", detail: "; the rule could not be evaluated" },
  ])("quote why a rule has no value, unless the document is a Secret ($kind)", ({ kind, detail }) => {
    const violations = collectViolations(subjectOf({ ...clusterOf("a"), kind }));
    violations.add(named(), failed);
    const [problem] = violations.problems();
    expect(problem).toMatchObject({ message: `no (policy house, rule 1${detail})`, object: `${kind}/fleet/a` });
    expect(problem?.fix).toContain("guard the expression of the rule with has()");
  });
});

describe("isWarningOf", () => {
  it.each([
    [undefined, undefined, false],
    ["Error", "Enforce", false],
    ["Warning", "Enforce", true],
    ["Warning", undefined, true],
    ["Error", "Warn", true],
  ] as const)("of a rule with severity %s in mode %s is %s", (severity, mode, isWarning) => {
    expect(isWarningOf(named(severity).rule, mode)).toBe(isWarning);
  });
});

describe("tooExpensive", () => {
  it("is at the rule, and names the document at which the rule was stopped", () => {
    const position = () => ({ file: "house.yaml", line: 2, column: 5 });
    const problem = tooExpensive({ name: "policy house, rule 1", position }, subjectOf(clusterOf("a")));
    expect(problem).toMatchObject({ code: "E_POLICY_EXPRESSION", severity: "error", file: "house.yaml", line: 2 });
    expect(problem.message).toContain("(policy house, rule 1) and was stopped at Cluster/fleet/a;");
  });
});

describe("describeDocument", () => {
  it("leaves out a namespace that is not there", () => {
    expect(describeDocument({ kind: "Policy", metadata: { name: "house" } })).toBe("Policy/house");
  });
});
