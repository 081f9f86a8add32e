import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { checkPolicy, evaluatePolicies } from "../../../src/policy/evaluate-policies.ts";
import { clusterOf, policyOf, subjectOf } from "./policy-builders.ts";

function outcomeOf(expression: string, object: KubeObject = clusterOf("a")): string {
  const [problem] = evaluatePolicies([policyOf(expression)], [subjectOf(object)]);
  return problem === undefined ? "good" : `${problem.code} ${problem.message}`;
}

describe("evaluatePolicies", () => {
  it("reports where a document breaks a rule, and which rule", () => {
    expect(
      evaluatePolicies(
        [policyOf({ expression: "object.metadata.name != 'a'", message: "not a" })],
        [subjectOf(clusterOf("a"), { position: { file: "x.yaml", line: 7, column: 3 } })],
      ),
    ).toEqual([
      {
        code: "E_POLICY",
        severity: "error",
        file: "x.yaml",
        line: 7,
        column: 3,
        message: "not a (policy house, rule 1)",
        object: "Cluster/fleet/a",
      },
    ]);
  });

  it("reports an expression that does not compile at its own place, and continues with the other rules", () => {
    const policy = policyOf("object.metadata.name ==");
    policy.object.spec.rules.push({ expression: "false", message: "never" });
    const problems = evaluatePolicies([policy], [subjectOf(clusterOf("a"))], {
      locate: ({ position }, path) => ({ ...position, line: 40 + path.length, column: 19 }),
    });
    expect(problems.map(({ code, file, line, column }) => [code, file, line, column])).toEqual([
      ["E_POLICY", "clusters/a.yaml", 1, 1],
      ["E_POLICY_EXPRESSION", "policies/house.yaml", 44, 19],
    ]);
  });

  it.each([
    {
      reason: "an unknown name",
      expression: "objekt.metadata.name == 'a'",
      detail: "undeclared reference to 'objekt' (in container '') (at character 1)",
    },
    { reason: "no truth value", expression: "path + 'x'", detail: "it must be true or false, and is a string" },
    {
      reason: "types that do not fit",
      expression: "path + 1 == 'x'",
      detail: "found no matching overload for '_+_' applied to '(string, int)' (at character 6)",
    },
    {
      reason: "a time zone, whose rules differ between machines",
      expression: "timestamp('2024-01-01T00:00:00Z').getHours('Europe/Berlin') == 1",
      detail: "found no matching overload for 'getHours' applied to 'timestamp.(string)'",
    },
    { reason: "an unknown function", expression: "none(true)", detail: "undeclared reference to 'none'" },
    { reason: "too deep nesting", expression: `${"(".repeat(300)}true${")".repeat(300)}`, detail: "recursion limit" },
    {
      reason: "too many sums within sums",
      expression: `${"1+".repeat(2000)}1 > 0`,
      detail: "recursion limit exceeded: 250",
    },
  ])("refuses $reason", ({ expression, detail }) => {
    const [problem] = checkPolicy(policyOf(expression));
    expect(problem).toMatchObject({ code: "E_POLICY_EXPRESSION", severity: "error" });
    expect(problem?.message).toContain(detail);
  });

  it.each([
    { reason: "whole numbers are ints", expression: "object.spec.n + 1 == 3" },
    { reason: "fractions are doubles", expression: "object.spec.f > 0.5 && object.spec.f < 1" },
    {
      reason: "lists",
      expression: "object.spec.list.map(x, x + '!').join(',') == 'a!,b!' && object.spec.list.join() == 'ab'",
    },
    { reason: "filters and quantifiers", expression: "object.spec.list.filter(x, x != 'a').all(x, x == 'b')" },
    {
      reason: "exactly one",
      expression: "object.spec.list.exists_one(x, x == 'b') && object.spec.list.exists(x, x in ['b'])",
    },
    { reason: "keys of maps", expression: "object.metadata.all(k, k in ['name', 'namespace'])" },
    {
      reason: "optionals",
      expression: "object.?spec.?none.orValue('x') == 'x' && object[?'spec'].hasValue() && optional.of(1).value() == 1",
    },
    { reason: "a value bound to a name", expression: "cel.bind(n, object.spec.n, n * n == 4)" },
    { reason: "has", expression: "has(object.spec.n) && !has(object.spec.m)" },
    {
      reason: "strings with every escape",
      expression: String.raw`'\x41\u00e9\n"' == "A\u00e9\n\"" && r'\d' == '\\d' && '''a''' == 'a'`,
    },
    { reason: "brackets and odd keys", expression: "object.spec['odd-key/x'] == 'y' && object.spec.list[1] == 'b'" },
    {
      reason: "durations as Go has them",
      expression:
        "duration('1h30m') == duration('90m') && duration('-1s') < duration('0') && duration('1.5s') > duration('1s')",
    },
    {
      reason: "times",
      expression: "timestamp('2024-02-01T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('744h')",
    },
    {
      reason: "arithmetic and order",
      expression: "-(2 + 3) * 2 == -10 && 7 / 2 == 3 && 7 % 2 == 1 && !(1 > 2) && (1 < 2 ? true : false)",
    },
    {
      reason: "maps and types",
      expression: "{'a': 1, 'b': 2}['b'] == 2 && type(object.spec.n) == int && type('') == string",
    },
    { reason: "patterns", expression: "object.metadata.name.matches('^[a-z]+$') && !'x'.matches('y') && matches" },
    { reason: "an error that the other side of || makes good", expression: "object.spec.none == 1 || true" },
    { reason: "no old object", expression: "oldObject == null && path == 'clusters/a.yaml'" },
  ])("evaluates $reason", ({ expression }) => {
    const object = { ...clusterOf("a"), spec: { n: 2, f: 0.75, list: ["a", "b"], "odd-key/x": "y" } };
    expect(outcomeOf(expression.replace(" && matches", ""), object)).toBe("good");
  });

  it("compares with the document of the last applied commit", () => {
    const policy = policyOf("oldObject == null || object.metadata.labels.env == oldObject.metadata.labels.env");
    const subject = subjectOf(clusterOf("a", { env: "dev" }), { oldObject: clusterOf("a", { env: "prod" }) });
    expect(evaluatePolicies([policy], [subject])).toHaveLength(1);
  });

  it("takes a rule without a value for broken, and reports what is missing", () => {
    expect(outcomeOf("object.metadata.labels.env == 'prod'")).toBe(
      "E_POLICY no (policy house, rule 1; the rule could not be evaluated: no such key: labels)",
    );
    expect(outcomeOf("dyn(1)")).toContain("it is neither true nor false");
  });

  it("shows rules the keys of a Secret, and never its values", () => {
    const secret: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "kubeconfig", namespace: "fleet" },
      data: { value: "hunter2" },
      stringData: { other: "hunter3" },
    };
    const scope = { kinds: ["Secret"] };
    const leak = [
      policyOf("'value' in object.data && 'other' in object.stringData && object.data.value == ''", { scope }),
      policyOf("bool(object.data.value)", { scope }),
      policyOf("int(object.stringData.other) == 1", { scope }),
    ];
    const problems = evaluatePolicies(leak, [subjectOf(secret)]);
    expect(JSON.stringify(problems)).not.toContain("hunter");
    const message = "no (policy house, rule 1; the rule could not be evaluated)";
    expect(problems.map((problem) => problem.message)).toEqual([message, message]);
  });

  it("names the fix of a rule that has no value for a document, and none for one that is broken", () => {
    const fixOf = (expression: string) => evaluatePolicies([policyOf(expression)], [subjectOf(clusterOf("a"))])[0]?.fix;
    expect(fixOf("object.metadata.labels.env == 'prod'")).toContain("guard the expression of the rule with has()");
    expect(fixOf("false")).toBeUndefined();
  });

  it("names the place of the policy where the place of its expression is not located", () => {
    expect(checkPolicy(policyOf("1 +"))).toMatchObject([{ file: "policies/house.yaml", line: 3, column: 1 }]);
  });

  it("makes violations warnings when the rule or the repository declares it", () => {
    const severities = (severity: "Error" | "Warning" | undefined, mode: "Enforce" | "Warn") =>
      evaluatePolicies([policyOf({ expression: "false", severity })], [subjectOf(clusterOf("a"))], { mode }).map(
        (problem) => `${problem.code} ${problem.severity}`,
      );
    expect(severities(undefined, "Enforce")).toEqual(["E_POLICY error"]);
    expect(severities("Error", "Enforce")).toEqual(["E_POLICY error"]);
    expect(severities("Warning", "Enforce")).toEqual(["W_POLICY warning"]);
    expect(severities("Error", "Warn")).toEqual(["W_POLICY warning"]);
  });

  it("sorts what it finds, and finds the same whatever the order", () => {
    const policies = [policyOf("false"), policyOf("object.metadata.name == 'a'")];
    const subjects = ["c", "a", "b"].map((name) => subjectOf(clusterOf(name)));
    const problems = evaluatePolicies(policies, subjects);
    expect(problems.map(({ file }) => file)).toEqual([..."abbcc"].map((name) => `clusters/${name}.yaml`));
    expect(evaluatePolicies(policies.toReversed(), subjects.toReversed())).toEqual(problems);
  });
});

describe("the scope of a policy", () => {
  const foreign: KubeObject = {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "Cluster",
    metadata: { name: "f", namespace: "fleet" },
  };
  const own = clusterOf("o");
  const elsewhere = { ...clusterOf("e"), metadata: { name: "e", namespace: "other" } };

  it.each([
    { reason: "none: our kinds only", scope: undefined, namespace: undefined, expected: ["e", "o"] },
    {
      reason: "kinds, whoever's they are",
      scope: { kinds: ["Cluster"] },
      namespace: undefined,
      expected: ["e", "f", "o"],
    },
    { reason: "another kind", scope: { kinds: ["ClusterGroup"] }, namespace: undefined, expected: [] },
    {
      reason: "paths",
      scope: { paths: ["clusters/[ef].*", "!clusters/f.yaml"] },
      namespace: undefined,
      expected: ["e"],
    },
    { reason: "the whole tree as a path", scope: { paths: ["."] }, namespace: undefined, expected: ["e", "f", "o"] },
    { reason: "the workspace that it stands in", scope: undefined, namespace: "other", expected: ["e"] },
  ])("is $reason", ({ scope, namespace, expected }) => {
    const problems = evaluatePolicies(
      [policyOf("false", { scope, namespace })],
      [own, foreign, elsewhere].map((object) => subjectOf(object)),
    );
    expect(problems.map(({ object }) => object?.split("/").at(-1))).toEqual(expected);
  });

  it("counts the workspace of a document that has no namespace of its own", () => {
    const member: KubeObject = {
      apiVersion: "cluster.kubernetes-fleet.io/v1",
      kind: "MemberCluster",
      metadata: { name: "m" },
    };
    const policy = policyOf("false", { scope: { kinds: ["MemberCluster"] }, namespace: "fleet" });
    expect(evaluatePolicies([policy], [subjectOf(member)])).toEqual([]);
    expect(evaluatePolicies([policy], [subjectOf(member, { workspace: "fleet" })])).toMatchObject([
      { object: "MemberCluster/m" },
    ]);
  });
});
