import type { Schema, ValidationRule } from "../schema/schema.ts";
import type { CelProgram } from "../../cel/cel.ts";
import { compileCel } from "../../cel/cel.ts";
import { PatternBudget } from "../../core/formats/patterns.ts";
import type { CelType } from "../../cel/cel-type.ts";
import { parseRuleFieldPath } from "./rule-field-path.ts";

/** One rule of x-kubernetes-validations, ready to run or refused. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent when the rule is empty or refused. */
  readonly program?: CelProgram;
  readonly refusal?: string;
  readonly message?: CelProgram;
  readonly messageRefusal?: string;
  readonly usesOldSelf: boolean;
  /** The path of its failures, below its value. */
  readonly fieldPath: string;
}

/** Compiles a rule of a schema. `self` is the type of the values it is about. Source: Kubernetes, CEL compilation. */
export function compileRule(
  rule: ValidationRule,
  schema: Schema,
  self: CelType,
  patterns = new PatternBudget(),
): CompiledRule {
  const none = { rule, usesOldSelf: false, fieldPath: "" };
  if (rule.rule.trim() === "") return none;
  const oldSelf: CelType = rule.optionalOldSelf === true ? { kind: "optional", value: self } : self;
  const environment = { variables: { self, oldSelf }, patterns };
  const program = compileCel(rule.rule, environment);
  if (program.kind === "refused") {
    const step = program.stage === "compilation" ? "compilation" : "program instantiation";
    return { ...none, refusal: `${step} failed: ${program.message}` };
  }
  if (program.type.kind !== "bool") return { ...none, refusal: "cel expression must evaluate to a bool" };
  const path = parseRuleFieldPath(rule.fieldPath ?? "", schema);
  const compiled: CompiledRule = {
    rule,
    program,
    usesOldSelf: program.uses("oldSelf"),
    fieldPath: path.kind === "path" ? path.path : "",
  };
  if ((rule.messageExpression ?? "") === "") return compiled;
  const message = compileCel(rule.messageExpression ?? "", environment);
  if (message.kind === "refused") {
    return { ...compiled, messageRefusal: `messageExpression ${message.stage} failed: ${message.message}` };
  }
  if (message.type.kind !== "string") {
    return { ...compiled, messageRefusal: "messageExpression must evaluate to a string" };
  }
  return { ...compiled, message };
}
