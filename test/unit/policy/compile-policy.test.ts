import { describe, expect, it } from "vitest";
import { boundCompiler, compilePolicy } from "../../../src/policy/compile-policy.ts";
import { policyOf } from "./policy-builders.ts";

const unbounded = boundCompiler(1000);

describe("compilePolicy", () => {
  it("leaves out a rule that does not compile, and numbers the others by their place in the document", () => {
    const policy = policyOf("object.metadata.name ==");
    policy.object.spec.rules.push({ expression: "true", message: "second" });
    const { rules, problems } = compilePolicy(policy, unbounded, {});
    expect(rules.map(({ name, rule, isStopped }) => [name, rule.message, isStopped])).toEqual([
      ["policy house, rule 2", "second", false],
    ]);
    expect(problems).toMatchObject([{ code: "E_POLICY_EXPRESSION", severity: "error", object: "Policy/house" }]);
    expect(problems[0]?.message).toMatch(/^the expression does not compile: /u);
  });

  it("locates an expression when it is asked for, by its path in the document", () => {
    const paths: unknown[] = [];
    const locate = (_: unknown, path: readonly (string | number)[]) => {
      paths.push(path);
      return { file: "house.yaml", line: 9, column: 1 };
    };
    const { rules } = compilePolicy(policyOf("true"), unbounded, { locate });
    expect(paths).toEqual([]);
    expect(rules[0]?.position()).toEqual({ file: "house.yaml", line: 9, column: 1 });
    expect(paths).toEqual([["spec", "rules", 0, "expression"]]);
  });

  it("compiles the kinds and the paths of a scope, and none where there is no scope", () => {
    const scoped = compilePolicy(policyOf("true", { scope: { kinds: ["Cluster"], paths: ["eu/"] } }), unbounded, {});
    expect([...(scoped.kinds ?? [])]).toEqual(["Cluster"]);
    expect(["eu/a.yaml", "us/a.yaml"].map((path) => scoped.paths?.matches(path))).toEqual([true, false]);
    expect(compilePolicy(policyOf("true"), unbounded, {})).toMatchObject({ kinds: undefined, paths: undefined });
  });
});

describe("boundCompiler", () => {
  it("counts the characters of all expressions together, and compiles the one that reaches the bound", () => {
    const compile = boundCompiler(8);
    expect(["true", "true", "true"].map((expression) => compile(expression))).toMatchObject([
      { kind: "rule" },
      { kind: "rule" },
      { kind: "refused", detail: "all expressions together have more than 8 characters" },
    ]);
  });
});
