import { appendAll } from "../../core/append-all.ts";
import type { CelProgram } from "../../cel/cel.ts";
import type { CelValue } from "../../cel/cel-value.ts";
import { CelError } from "../../cel/cel-value.ts";
import type { AdmissionPolicy, Validation } from "./admission-policy.ts";
import type { Compiled, CompiledPolicy } from "./compile-policy.ts";

/** One thing that a policy has against a request. */
export interface Denial {
  readonly message: string;
  /** Empty: Invalid. */
  readonly reason: string;
  /** Of its validation. */
  readonly index: number;
}

export interface PolicyResult {
  /** In the order of the validations. What a binding does with them depends on its actions. */
  readonly denials: readonly Denial[];
  /** Audit annotations that have no value. They deny a request whatever the actions of the binding. */
  readonly faults: readonly Denial[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

export interface Evaluation {
  readonly policy: AdmissionPolicy;
  readonly compiled: CompiledPolicy;
  /** `object`, `oldObject`, `request`, `namespaceObject`, `authorizer`, `params`. */
  readonly values: Readonly<Record<string, CelValue>>;
}

/** Source: k8s.io/apiserver, apis/cel/config.go. */
const totalBudget = 10_000_000;
const conditionBudget = 2_500_000;
const callLimit = 1_000_000;
const longestMessageBytes = 5 * 1024;
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

type Outcome =
  | { readonly kind: "value"; readonly value: CelValue }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "exhausted" };

/** What the policy has against the request, and what it adds to the audit event. */
export function evaluatePolicy({ policy, compiled, values }: Evaluation): PolicyResult {
  const onFailure = (message: string, index = 0): readonly Denial[] =>
    policy.isIgnoringFailures ? [] : [{ message, reason: "", index }];
  const only = (denials: readonly Denial[]): PolicyResult => ({ denials, faults: [], annotations: [] });
  const condition = matchConditions({ policy, compiled, values });
  if (condition !== true) return only(condition === false ? [] : onFailure(condition.message));
  const budget = { remaining: totalBudget };
  const withVariables = { ...values, variables: variablesOf(compiled, values, budget) };
  const denials: Denial[] = [];
  for (const [index, { program, message }] of compiled.validations.entries()) {
    const validation = policy.validations[index];
    if (validation === undefined) continue;
    const outcome = run(program, validation.expression, withVariables, budget);
    if (outcome.kind === "exhausted") return only(onFailure(outOfBudget));
    if (outcome.kind === "error") appendAll(denials, onFailure(outcome.message, index));
    else if (outcome.value !== true) {
      denials.push({
        message: messageOf(validation, message, withVariables, budget),
        reason: validation.reason,
        index,
      });
    }
  }
  const faults: Denial[] = [];
  const annotations: { readonly key: string; readonly value: string }[] = [];
  for (const [index, { key, valueExpression }] of policy.auditAnnotations.entries()) {
    const program = compiled.auditAnnotations[index];
    if (program === undefined) continue;
    const outcome = run(program, valueExpression.trim(), withVariables, budget);
    if (outcome.kind === "exhausted") return only(onFailure(outOfBudget));
    if (outcome.kind === "error") appendAll(faults, onFailure(outcome.message));
    else if (typeof outcome.value === "string" && outcome.value.trim() !== "") {
      annotations.push({ key, value: outcome.value.trim() });
    }
  }
  return { denials, faults, annotations };
}

/** True: all hold. False: one does not, whatever the results of the others. */
function matchConditions({ policy, compiled, values }: Evaluation): boolean | { readonly message: string } {
  const budget = { remaining: conditionBudget };
  const errors: string[] = [];
  for (const [index, program] of compiled.matchConditions.entries()) {
    const outcome = run(program, policy.matchConditions[index]?.expression ?? "", values, budget);
    if (outcome.kind === "exhausted") return { message: outOfBudget };
    if (outcome.kind === "error") errors.push(outcome.message);
    else if (outcome.value === false) return false;
  }
  if (errors.length === 0) return true;
  return policy.isIgnoringFailures
    ? false
    : { message: errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]` };
}

interface Budget {
  remaining: number;
}

function run(
  program: Compiled,
  expression: string,
  values: Readonly<Record<string, CelValue>>,
  budget: Budget,
): Outcome {
  if (program.kind === "refused") return { kind: "error", message: `compilation error: ${program.message}` };
  const outcome = program.run(values, Math.min(callLimit, budget.remaining));
  budget.remaining -= outcome.cost;
  if (outcome.kind === "value") return outcome;
  if (budget.remaining <= 0) return { kind: "exhausted" };
  return { kind: "error", message: `expression '${expression}' resulted in error: ${outcome.message}` };
}

/** Each variable is computed when it is first used, once for all expressions. */
function variablesOf(compiled: CompiledPolicy, values: Readonly<Record<string, CelValue>>, budget: Budget): CelValue {
  const known = new Map<string, CelValue>();
  const programs = new Map(compiled.variables.map(({ name, program }) => [name, program]));
  const variables: CelValue = {
    kind: "object",
    typeName: "kubernetes.variables",
    fields: [...programs.keys()],
    get: (name) => {
      const program = programs.get(name);
      if (program === undefined) return undefined;
      // It may be null.
      if (!known.has(name)) known.set(name, compute(name, program));
      return known.get(name);
    },
  };
  const compute = (name: string, program: Compiled): CelValue => {
    const label = `composited variable ${JSON.stringify(name)}`;
    if (program.kind === "refused") throw new CelError(`${label} fails to compile: ${program.message}`);
    const outcome = program.run({ ...values, variables }, Math.min(callLimit, budget.remaining));
    budget.remaining -= outcome.cost;
    if (outcome.kind === "value") return outcome.value;
    throw new CelError(`${label} fails to evaluate: ${outcome.message}`, outcome.isOverBudget);
  };
  return variables;
}

function messageOf(
  validation: Validation,
  program: Compiled | undefined,
  values: Readonly<Record<string, CelValue>>,
  budget: Budget,
): string {
  const computed = program?.kind === "program" ? computeMessage(program, values, budget) : "";
  if (computed !== "") return computed;
  const fixed = validation.message.trim();
  return fixed === "" ? `failed expression: ${validation.expression.trim()}` : fixed;
}

/** Empty when the expression gives no text of one line that is short enough. */
function computeMessage(program: CelProgram, values: Readonly<Record<string, CelValue>>, budget: Budget): string {
  const outcome = program.run(values, Math.min(callLimit, budget.remaining));
  budget.remaining -= outcome.cost;
  if (outcome.kind !== "value" || typeof outcome.value !== "string") return "";
  const text = outcome.value.trim();
  return text.includes("\n") || Buffer.byteLength(text) > longestMessageBytes ? "" : text;
}
