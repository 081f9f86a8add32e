import type { PathPatterns } from "../core/path-patterns.ts";
import { PatternBudget } from "../core/formats/patterns.ts";
import { compilePaths } from "../core/path-patterns.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { Policy, PolicyRule } from "../model/generated/policy.ts";
import type { Problem } from "../model/problem.ts";
import type { SourcePosition } from "../model/source.ts";
import type { Rule, RuleCompiler } from "./compile-rule.ts";
import { compileRule } from "./compile-rule.ts";
import { describeDocument } from "./policy-problems.ts";

export interface CompileOptions {
  /** The position of a value within a policy. Default: that of the policy. */
  readonly locate?: (policy: Declared<Policy>, path: readonly (string | number)[]) => SourcePosition;
}

export interface CompiledPolicy {
  readonly policy: Declared<Policy>;
  readonly kinds: ReadonlySet<string> | undefined;
  readonly paths: PathPatterns | undefined;
  readonly rules: readonly RunningRule[];
  readonly problems: readonly Problem[];
}

export interface RunningRule {
  readonly name: string;
  readonly rule: PolicyRule;
  readonly evaluate: Rule;
  /** Where its expression is; the file is read for it. */
  readonly position: () => SourcePosition;
  isStopped: boolean;
}

/** Rules whose expression does not compile are left out, and reported at the expression (E_POLICY_EXPRESSION). */
export function compilePolicy(
  policy: Declared<Policy>,
  compiler: RuleCompiler,
  { locate = ({ position }) => position }: CompileOptions,
): CompiledPolicy {
  const { metadata, spec } = policy.object;
  const rules: RunningRule[] = [];
  const problems: Problem[] = [];
  spec.rules.forEach((rule, index) => {
    const name = `policy ${metadata.name}, rule ${index + 1}`;
    const position = (): SourcePosition => locate(policy, ["spec", "rules", index, "expression"]);
    const compiled = compiler(rule.expression);
    if (compiled.kind === "rule") {
      rules.push({ name, rule, evaluate: compiled.evaluate, position, isStopped: false });
    } else {
      problems.push({
        code: "E_POLICY_EXPRESSION",
        severity: "error",
        ...position(),
        message: `the expression does not compile: ${compiled.detail}`,
        object: describeDocument(policy.object),
      });
    }
  });
  const { kinds, paths } = spec.scope ?? {};
  return {
    policy,
    kinds: kinds && new Set(kinds),
    paths: paths && compilePaths(paths),
    rules,
    problems,
  };
}

/** Refuses expressions beyond this number of characters in total, and patterns that take too much in total. */
export function boundCompiler(expressionCharacters: number): RuleCompiler {
  let charactersLeft = expressionCharacters;
  const patterns = new PatternBudget();
  return (expression) => {
    charactersLeft -= expression.length;
    if (charactersLeft >= 0) return compileRule(expression, patterns);
    return { kind: "refused", detail: `all expressions together have more than ${expressionCharacters} characters` };
  };
}
