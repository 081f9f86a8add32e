import type { Json } from "../../core/json.ts";
import { childPath, duplicate, forbidden, invalid, required } from "../schema/field-error.ts";
import type { FieldError, Schema, ValidationRule } from "../schema/schema.ts";
import type { CelProgram } from "../../cel/cel.ts";
import type { CelValue } from "../../cel/cel-value.ts";
import { CelError, noSuchOverload } from "../../cel/cel-value.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { celOfSchema } from "./schema-values.ts";

const maximumCost = 1_000_000;
const maximumMessageBytes = 5 * 1024;
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** The value that a rule is about. */
export interface RuleSubject {
  readonly path: string;
  /** Its type, as failures name it. */
  readonly type: string;
  readonly schema: Schema;
  readonly value: Json;
  /** Never null: rules about changes do not run when nothing was there. */
  readonly old: Json | undefined;
}

export interface RuleOutcome {
  /** The rule refuses. */
  readonly failure?: FieldError;
  /** The rule has no result. */
  readonly error?: FieldError;
  /** True when no further rule may run. */
  readonly isLast: boolean;
  readonly cost: number;
}

/** Paths of failures; an API server prints a missing path so. */
export function fieldOf(path: string): string {
  return path === "" ? "<nil>" : path;
}

/** Runs one rule; rules about changes are skipped when nothing was there before. `budget` is left of the object's. */
export function runRule(compiled: CompiledRule, subject: RuleSubject, budget: number): RuleOutcome {
  const { rule, program, refusal } = compiled;
  const field = fieldOf(subject.path);
  const stopped = (text: string, isLast: boolean, cost = 0): RuleOutcome => ({
    error: invalid(field, subject.type, text),
    isLast,
    cost,
  });
  if (budget <= 0) return stopped(outOfBudget, true);
  if (refusal !== undefined) return stopped(`rule compile error: ${refusal}`, false);
  const isSkipped = compiled.usesOldSelf && subject.old === undefined && rule.optionalOldSelf !== true;
  if (program === undefined || isSkipped) return { isLast: false, cost: 0 };
  const outcome = evaluate(program, subject, rule.optionalOldSelf === true);
  if (outcome.cost > budget) return stopped(outOfBudget, true);
  const source = textOfRule(rule);
  if (outcome.kind === "value") {
    if (outcome.value === true) return { isLast: false, cost: outcome.cost };
    return fail(compiled, subject, { cost: outcome.cost, budget: budget - outcome.cost });
  }
  const { message, isOverBudget, cost } = outcome;
  if (isOverBudget) {
    const text = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${source}`;
    return stopped(text, true, cost);
  }
  const text = message.startsWith(noSuchOverload)
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${source}`
    : `${message} evaluating rule: ${source}`;
  return stopped(text, false, cost);
}

function evaluate(program: CelProgram, subject: RuleSubject, isOldOptional: boolean): ReturnType<CelProgram["run"]> {
  try {
    return program.run(variablesOf(subject, isOldOptional), maximumCost);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { kind: "failure", message: error.message, isOverBudget: false, cost: 0 };
  }
}

function variablesOf({ value, old, schema }: RuleSubject, isOldOptional: boolean): Record<string, CelValue> {
  const self = celOfSchema(value, schema);
  const oldSelf = old === undefined ? undefined : celOfSchema(old, schema);
  if (isOldOptional) return { self, oldSelf: { kind: "optional", value: oldSelf } };
  return oldSelf === undefined ? { self } : { self, oldSelf };
}

function fail(
  { rule, message, fieldPath }: CompiledRule,
  subject: RuleSubject,
  { cost, budget }: { readonly cost: number; readonly budget: number },
): RuleOutcome {
  const path = fieldPath === "" ? subject.path : childPath(subject.path, fieldPath);
  const failureOf = (text: string): FieldError => failureFor(rule, fieldOf(path), subject.type, text);
  const standard = (rule.message ?? "") === "" ? `failed rule: ${textOfRule(rule)}` : (rule.message ?? "").trim();
  if (message === undefined) return { failure: failureOf(standard), isLast: false, cost };
  const outcome = evaluate(message, subject, false);
  const quoted = JSON.stringify(rule.messageExpression ?? "");
  const over = (text: string): RuleOutcome => ({
    failure: invalid(fieldOf(path), subject.type, text),
    isLast: true,
    cost,
  });
  if (outcome.cost > budget) {
    return over(
      "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    );
  }
  if (outcome.kind === "failure" && outcome.isOverBudget) {
    return over(
      `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoted}`,
    );
  }
  const text = outcome.kind === "value" && typeof outcome.value === "string" ? outcome.value.trim() : "";
  const isUsable = text !== "" && Buffer.byteLength(text) <= maximumMessageBytes && !text.includes("\n");
  return { failure: failureOf(isUsable ? text : standard), isLast: false, cost: cost + outcome.cost };
}

function failureFor(rule: ValidationRule, field: string, type: string, text: string): FieldError {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(field, text);
    case "FieldValueRequired":
      return required(field, text);
    case "FieldValueDuplicate":
      return duplicate(field, type);
    default:
      return invalid(field, type, text);
  }
}

function textOfRule({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}
