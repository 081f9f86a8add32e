import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { compileRules } from "../../../../src/embedded-hub/rules/rule-tree.ts";
import { validateRules } from "../../../../src/embedded-hub/rules/validate-rules.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

/** What the validator of Kubernetes 1.34 answers to rules about one object: "" when it holds. */
interface Recording {
  readonly schema: Schema;
  readonly object: JsonObject;
  readonly rules: readonly (readonly [rule: string, answer: string])[];
}

const file = new URL("golden/rules.json", import.meta.url);
const { schema, object, rules } = JSON.parse(readFileSync(file, "utf8")) as Recording;

function answerTo(rule: string): string {
  const tree = compileRules({ ...schema, "x-kubernetes-validations": [{ rule }] });
  if (tree === undefined) return "no rules";
  const [compiled] = tree.rules;
  if (compiled?.refusal !== undefined) return compiled.refusal;
  const [error] = validateRules(tree, object, undefined).errors;
  return (error?.message ?? "").replace(/^Invalid value: "object": /u, "");
}

describe("rules that were recorded", () => {
  it.each(rules)("%s", (rule, answer) => {
    expect(answerTo(rule)).toBe(answer);
  });

  it("are of every outcome", () => {
    const count = (pattern: RegExp): number => rules.filter(([, answer]) => pattern.test(answer)).length;
    expect(count(/^$/u)).toBeGreaterThan(100);
    expect(count(/^failed rule/u)).toBeGreaterThan(30);
    expect(count(/evaluating rule/u)).toBeGreaterThan(30);
    expect(count(/^compilation failed/u)).toBeGreaterThan(50);
  });
});
