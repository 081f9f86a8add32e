import { compileCel } from "../../cel/cel.ts";
import type { CelProgram, CelRefusal } from "../../cel/cel.ts";
import type { CelType, TypeNames } from "../../cel/cel-type.ts";
import { describeType, dyn } from "../../cel/cel-type.ts";
import { PatternBudget } from "../../core/formats/patterns.ts";
import type { AdmissionPolicy, NamedExpression } from "./admission-policy.ts";
import { policyLibrary } from "./authorizer-library.ts";
import { policyVariables } from "./policy-environment.ts";
import type { PolicyScope } from "./policy-environment.ts";

/** An expression that is ready, or why it is not. */
export type Compiled = CelProgram | CelRefusal;

const stages: Readonly<Record<CelRefusal["stage"], string>> = {
  compilation: "compilation failed",
  instantiation: "program instantiation failed",
};

export interface CompiledPolicy {
  readonly matchConditions: readonly Compiled[];
  readonly variables: readonly { readonly name: string; readonly program: Compiled }[];
  readonly validations: readonly { readonly program: Compiled; readonly message: Compiled | undefined }[];
  readonly auditAnnotations: readonly Compiled[];
}

/** Compiles all expressions of a policy; of which type `object` is counts at run time. */
export function compilePolicy(policy: AdmissionPolicy): CompiledPolicy {
  const hasParams = policy.paramKind !== undefined;
  const plain: PolicyScope = { hasParams, hasAuthorizer: true, patterns: new PatternBudget() };
  const { scope, variables } = withVariables(policy, plain);
  return {
    matchConditions: compileConditions(policy.matchConditions, plain),
    variables,
    validations: policy.validations.map(({ expression, messageExpression }) => ({
      program: compileExpression(expression, scope, ["bool"]),
      message:
        messageExpression === ""
          ? undefined
          : compileExpression(messageExpression, { ...scope, hasAuthorizer: false }, ["string"]),
    })),
    auditAnnotations: policy.auditAnnotations.map(({ valueExpression }) =>
      compileExpression(valueExpression.trim(), scope, ["string", "null_type"]),
    ),
  };
}

/** Compiles the match conditions of a policy or a webhook. */
export function compileConditions(conditions: readonly NamedExpression[], scope: PolicyScope): readonly Compiled[] {
  return conditions.map(({ expression }) => compileExpression(expression.trim(), scope, ["bool"]));
}

/** The scope of validations: with the policy's variables, each of which sees those before it. */
export function withVariables(
  policy: AdmissionPolicy,
  plain: PolicyScope,
): { readonly scope: PolicyScope; readonly variables: CompiledPolicy["variables"] } {
  const types = new Map<string, CelType>();
  // The map is filled during the loop.
  const scope: PolicyScope = policy.variables.length === 0 ? plain : { ...plain, variables: types };
  const variables = policy.variables.map(({ name, expression }) => {
    const program = compileExpression(expression, scope);
    types.set(name, program.kind === "program" ? program.type : dyn);
    return { name, program };
  });
  return { scope, variables };
}

/** `results` are the kinds of type that the expression may have; default any. */
function compileExpression(expression: string, scope: PolicyScope, results: readonly CelType["kind"][] = []): Compiled {
  const { patterns = new PatternBudget() } = scope;
  const compiled = compileCel(expression, { variables: policyVariables(scope), library: policyLibrary, patterns });
  if (compiled.kind === "refused") {
    return { ...compiled, message: `${stages[compiled.stage]}: ${compiled.message}` };
  }
  const { type } = compiled;
  if (results.length === 0 || results.includes(type.kind)) return compiled;
  const [first = ""] = results;
  const wanted = results.length === 1 ? first : `one of [${results.join(" ")}]`;
  return {
    kind: "refused",
    stage: "compilation",
    issues: [],
    message: `must evaluate to ${wanted} but got ${describeType(type, runtimeNames)}`,
  };
}

/** Names at run time, which are not always those of checked expressions. */
const runtimeNames: TypeNames = { timestamp: "google.protobuf.Timestamp", duration: "google.protobuf.Duration" };
