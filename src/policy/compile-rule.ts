import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { EvaluationError, ParseError, TypeError as CelTypeError } from "@marcbachmann/cel-js";
import { boundExpression } from "./bound-expression.ts";
import type { CelBudget } from "./cel-budget.ts";
import { createBudget } from "./cel-budget.ts";
import { createAuthorEnvironment, createBoundEnvironment } from "./cel-environment.ts";

/** What a rule's expression sees. Whole numbers are bigint, as CEL has them. */
export interface RuleInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly path: string;
}

export type RuleOutcome =
  | { readonly kind: "good" | "bad"; readonly units: number }
  /** The expression has no value for this document. `detail` may quote the document. */
  | { readonly kind: "failed"; readonly units: number; readonly detail: string }
  /** It cost more than it may, and was stopped. */
  | { readonly kind: "stopped"; readonly units: number };

/** A compiled expression. It never throws, and never costs more than about `units`. */
export type Rule = (input: RuleInput, units: number) => RuleOutcome;

export type CompiledRule =
  { readonly kind: "rule"; readonly evaluate: Rule } | { readonly kind: "refused"; readonly detail: string };

export type RuleCompiler = (expression: string) => CompiledRule;

/** A compiler whose rules share one environment. Rules of one compiler must not be evaluated within one another. */
export function createRuleCompiler(): RuleCompiler {
  const budget = createBudget();
  const author = createAuthorEnvironment();
  const bound = createBoundEnvironment(budget);
  return (expression) => {
    try {
      return compile(expression, { author, bound, budget });
    } catch (error) {
      return { kind: "refused", detail: describeCelError(error) };
    }
  };
}

interface Compiler {
  readonly author: Environment;
  readonly bound: Environment;
  readonly budget: CelBudget;
}

function compile(expression: string, { author, bound, budget }: Compiler): CompiledRule {
  const parsed = author.parse(expression);
  const { valid, type = "", error } = parsed.check();
  if (!valid) return { kind: "refused", detail: describeCelError(error) };
  if (type !== "bool" && !type.startsWith("dyn")) {
    return { kind: "refused", detail: `it must be true or false, and is a ${type}` };
  }
  const refusal = refusalOf(parsed.ast);
  if (refusal !== undefined) return { kind: "refused", detail: refusal };
  const run: (input: RuleInput) => unknown = bound.parse(boundExpression(parsed.ast));
  return { kind: "rule", evaluate: (input, units) => evaluate(run, input, { budget, units }) };
}

function evaluate(
  run: (input: RuleInput) => unknown,
  input: RuleInput,
  { budget, units }: { readonly budget: CelBudget; readonly units: number },
): RuleOutcome {
  budget.start(units);
  let value: unknown;
  let failure: unknown;
  try {
    value = run(input);
  } catch (error) {
    failure = error;
  }
  const spent = budget.spent();
  // Loops and `||` may go on in spite of an error: only the budget itself knows that it was spent.
  if (budget.isSpent()) return { kind: "stopped", units: spent };
  if (failure !== undefined) return { kind: "failed", units: spent, detail: describeCelError(failure) };
  if (typeof value !== "boolean") return { kind: "failed", units: spent, detail: "it is neither true nor false" };
  return { kind: value ? "good" : "bad", units: spent };
}

/** Functions whose result depends on the machine (its time zone, its tables of time zones). */
const zoned = new Set([
  "getDate",
  "getDayOfMonth",
  "getDayOfWeek",
  "getFullYear",
  "getHours",
  "getMilliseconds",
  "getMinutes",
  "getMonth",
  "getSeconds",
]);
const maximumDepth = 80;

/** Why a well-formed expression is not taken, or undefined. */
function refusalOf(root: ASTNode): string | undefined {
  const pending: { readonly node: ASTNode; readonly depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    if (depth > maximumDepth) return `its parts are nested more than ${maximumDepth} deep`;
    if (node.op === "rcall") {
      const [name, , args] = node.args;
      if (name === "getDayOfYear" || (zoned.has(name) && args.length > 0)) {
        return `${name}() with a time zone is not supported; times are in UTC`;
      }
    }
    for (const child of childrenOf(node)) {
      // Chains of one operator, such as a || b || c, are nested only in the parser's eyes.
      const isChain = child.op === node.op && (node.op === "||" || node.op === "&&");
      pending.push({ node: child, depth: isChain ? depth : depth + 1 });
    }
  }
  return undefined;
}

function childrenOf(node: ASTNode): ASTNode[] {
  const parts: unknown[] = [node.args].flat(3);
  return parts.filter((part): part is ASTNode => typeof part === "object" && part !== null && "op" in part);
}

/** One line without the library's picture of the source. */
function describeCelError(error: unknown): string {
  const isKnown = error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError;
  const text = isKnown ? error.summary : error instanceof Error ? error.message : "unknown error";
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  const cut = visible.length > 200 ? `${visible.slice(0, 200)}...` : visible;
  const at = isKnown && !(error instanceof EvaluationError) ? error.range?.start : undefined;
  return at === undefined ? cut : `${cut} (at character ${at + 1})`;
}
