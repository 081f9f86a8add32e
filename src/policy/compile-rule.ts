import { compileCel } from "../cel/cel.ts";
import type { CelProgram } from "../cel/cel.ts";
import { describeType, dyn, mapOf, stringType } from "../cel/cel-type.ts";
import { celOfJson } from "../cel/json-values.ts";
import { kubernetesLibrary } from "../cel/library.ts";
import type { Library, Overload } from "../cel/overload.ts";
import { PatternBudget } from "../core/formats/patterns.ts";
import type { Json } from "../core/json.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import { cutWith } from "../core/trim-characters.ts";

/** What a rule's expression sees. */
export interface RuleInput {
  readonly object: Json;
  readonly oldObject: Json;
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
  | { readonly kind: "rule"; readonly evaluate: Rule }
  | { readonly kind: "refused"; readonly detail: string };

export type RuleCompiler = (expression: string) => CompiledRule;

const variables = { object: mapOf(stringType, dyn), oldObject: dyn, path: stringType };

/** The functions of Kubernetes, without the forms that take a time zone: the tables of zones differ between machines. */
const policyLibrary: Library = new Map(
  [...kubernetesLibrary].map(([key, overloads]) => [key, overloads.filter((overload) => !takesZone(overload))]),
);

function takesZone({ parameters: [target, zone] }: Overload): boolean {
  return target?.kind === "timestamp" && zone?.kind === "string";
}

/**
 * Compiles an expression of a policy: CEL as in Kubernetes, with `cel.bind`, and without time zones. `patterns`: what its
 * patterns may take, with those of other expressions.
 */
export function compileRule(expression: string, patterns = new PatternBudget()): CompiledRule {
  const compiled = compileCel(expression, {
    variables,
    library: policyLibrary,
    hasBindings: true,
    patterns,
  });
  if (compiled.kind === "refused") {
    const [issue] = compiled.issues;
    if (issue === undefined) return { kind: "refused", detail: oneLine(compiled.message) };
    return { kind: "refused", detail: `${oneLine(issue.message)} (at character ${issue.position + 1})` };
  }
  const { type } = compiled;
  if (type.kind !== "bool" && type.kind !== "dyn") {
    return { kind: "refused", detail: `it must be true or false, and is a ${describeType(type)}` };
  }
  return { kind: "rule", evaluate: (input, units) => evaluate(compiled, input, units) };
}

/** One document is an input of many rules. */
const valuesOf = memoizeWeak(({ object, oldObject, path }: RuleInput) => ({
  object: celOfJson(object),
  oldObject: celOfJson(oldObject),
  path,
}));

function evaluate(program: CelProgram, input: RuleInput, maximumUnits: number): RuleOutcome {
  const outcome = program.run(valuesOf(input), maximumUnits);
  const units = outcome.cost;
  if (outcome.kind === "value") {
    if (typeof outcome.value === "boolean") return { kind: outcome.value ? "good" : "bad", units };
    return { kind: "failed", units, detail: "it is neither true nor false" };
  }
  return outcome.isOverBudget
    ? { kind: "stopped", units }
    : { kind: "failed", units, detail: oneLine(outcome.message) };
}

function oneLine(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return cutWith("...", visible, 200);
}
