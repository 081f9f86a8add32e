import { countCharacters } from "../../core/count-characters.ts";
import { memoizeWeak } from "../../core/memoize-weak.ts";
import type { Schema } from "../schema/schema.ts";
import type { CelType } from "../../cel/cel-type.ts";
import type { CelValue } from "../../cel/cel-value.ts";
import { checkExpression } from "../../cel/check.ts";
import type { Expression } from "../../cel/expression.ts";
import { escapeField } from "./field-names.ts";
import { parseExpression } from "../../cel/parse.ts";
import { kubernetesLibrary } from "../../cel/library.ts";
import type { MacroName } from "../../cel/macros.ts";
import { maxElementsOf } from "./schema-sizes.ts";
import { withTypeMeta } from "./schema-types.ts";

interface Estimate {
  readonly cost: number;
  /** How large the value can be: characters, items, entries; 1 for what has no size, 0 when nothing is known. */
  readonly size: number;
  /** Of a part of the object: the schema of that part. */
  readonly schema?: Schema;
}

interface Scope {
  readonly typeOf: (part: Expression) => CelType;
  readonly variables: ReadonlyMap<string, Omit<Estimate, "cost">>;
}

/**
 * What a rule costs at most each time it runs, as kube-apiserver estimates it before it takes a CRD. It is never more than
 * that estimate: functions whose cost is not modelled here count nothing, and values of unknown size are small. 0 for a
 * text that is no expression. Source: cel-go 0.26, checker/cost, and Kubernetes, CEL compilation.
 */
export function estimateCost(
  text: string,
  environment: {
    readonly variables: Readonly<Record<string, CelType>>;
    readonly self: Schema;
    readonly isResource: boolean;
  },
): number {
  const parsed = parseExpression(text);
  if (parsed.kind === "malformed") return 0;
  const variables = new Map(Object.entries(environment.variables));
  const { issues, typeOf } = checkExpression(parsed.expression, { library: kubernetesLibrary, variables });
  if (issues.length > 0) return 0;
  const schema = environment.isResource ? withTypeMeta(environment.self) : environment.self;
  const value = { size: maxElementsOf(schema), schema };
  const isPlain = environment.variables["oldSelf"]?.kind !== "optional";
  const known = new Map([["self", value] as const, ...(isPlain ? [["oldSelf", value] as const] : [])]);
  return estimate(parsed.expression, { typeOf, variables: known }).cost;
}

function estimate(expression: Expression, scope: Scope): Estimate {
  const inner = (part: Expression): Estimate => estimate(part, scope);
  const sumOf = (parts: readonly Expression[]): number => parts.reduce((sum, part) => sum + inner(part).cost, 0);
  switch (expression.kind) {
    case "literal":
      return { cost: 0, size: sizeOfLiteral(expression.value) };
    case "identifier":
      return { cost: 1, ...(scope.variables.get(expression.name) ?? { size: 0 }) };
    case "presence":
      return { cost: inner(expression.operand).cost, size: 1 };
    case "select": {
      const operand = inner(expression.operand);
      const isRead = ["object", "map"].includes(scope.typeOf(expression.operand).kind);
      const cost = operand.cost + (isRead ? 1 : 0);
      return expression.isOptional
        ? { cost, size: 0 }
        : { cost, ...valueAt(propertyOf(operand.schema, expression.field)) };
    }
    case "index": {
      const operand = inner(expression.operand);
      const cost = 1 + operand.cost + inner(expression.index).cost;
      return { cost, ...(expression.isOptional ? { size: 0 } : valueAt(elementOf(operand.schema))) };
    }
    case "list":
      return { cost: 10 + sumOf(expression.items), size: expression.items.length };
    case "map":
      return { cost: 30 + sumOf(expression.entries.flat()), size: expression.entries.length };
    case "and":
    case "or":
      return { cost: sumOf([expression.left, expression.right]), size: 1 };
    case "ternary": {
      const [then, otherwise] = [inner(expression.then), inner(expression.otherwise)];
      const cost = inner(expression.condition).cost + Math.max(then.cost, otherwise.cost);
      return { cost, size: Math.max(then.size, otherwise.size) };
    }
    case "call":
      return estimateCall(expression, scope);
    case "macro":
      return estimateMacro(expression, scope);
  }
}

const scalarKinds = ["bool", "int", "uint", "double", "timestamp", "duration"];
const equality = ["_==_", "_!=_"];
const order = ["_<_", "_<=_", "_>_", "_>=_"];
const arithmetic = ["!_", "-_", "_-_", "_*_", "_/_", "_%_", "size"];

function estimateCall(call: Extract<Expression, { readonly kind: "call" }>, scope: Scope): Estimate {
  const parts = [...(call.target === undefined ? [] : [call.target]), ...call.arguments];
  const estimates = parts.map((part) => estimate(part, scope));
  const [first = { cost: 0, size: 0 }, second = { cost: 0, size: 0 }] = estimates;
  const given = estimates.reduce((sum, { cost }) => sum + cost, 0);
  const { kind } = scope.typeOf(call);
  const size = scalarKinds.includes(kind) ? 1 : 0;
  const { name } = call;
  const readsBoth = equality.includes(name) || (order.includes(name) && isText(scope, parts));
  if (readsBoth) return { cost: given + traversal(Math.min(first.size, second.size)), size };
  if (order.includes(name)) return { cost: given + 1, size };
  if (arithmetic.includes(name)) return { cost: given + 1, size };
  const isMethod = call.target !== undefined;
  switch (name) {
    case "_+_": {
      if (kind === "string" || kind === "bytes") {
        const joined = first.size + second.size;
        return { cost: given + traversal(joined), size: joined };
      }
      return { cost: given + 1, size: kind === "list" ? first.size + second.size : size };
    }
    case "@in": {
      const isList = call.arguments[1] !== undefined && scope.typeOf(call.arguments[1]).kind === "list";
      return { cost: given + (isList ? second.size : 1), size };
    }
    case "startsWith":
    case "endsWith":
      return { cost: given + traversal(second.size), size };
    case "contains":
      return { cost: given + (isMethod ? traversal(first.size) * traversal(second.size) : 0), size };
    case "matches":
      return { cost: given + (isMethod ? traversal(first.size + 1) * Math.ceil(second.size * 0.25) : 0), size };
    default:
      return { cost: given, size };
  }
}

function isText({ typeOf }: Scope, parts: readonly Expression[]): boolean {
  return parts.every((part) => ["string", "bytes"].includes(typeOf(part).kind));
}

function traversal(size: number): number {
  return Math.ceil(size * 0.1);
}

/** What a loop costs before and after, and in each round besides its expressions. */
const loops: Partial<Record<MacroName, { readonly once: number; readonly round: number }>> = {
  all: { once: 1, round: 3 },
  exists: { once: 1, round: 4 },
  exists_one: { once: 2, round: 2 },
  existsOne: { once: 2, round: 2 },
  map: { once: 11, round: 12 },
  filter: { once: 11, round: 13 },
};

function estimateMacro(macro: Extract<Expression, { readonly kind: "macro" }>, scope: Scope): Estimate {
  const target = estimate(macro.target, scope);
  const loop = loops[macro.macro];
  if (loop === undefined) return { cost: target.cost, size: 0 };
  const isList = scope.typeOf(macro.target).kind === "list";
  const element = isList ? valueAt(elementOf(target.schema)) : { size: 0 };
  const variables = new Map(scope.variables);
  for (const variable of macro.variables) variables.set(variable, macro.variables.length === 1 ? element : { size: 0 });
  const round = macro.arguments.reduce((sum, part) => sum + estimate(part, { ...scope, variables }).cost, 0);
  const cost = target.cost + loop.once + target.size * (loop.round + round);
  return { cost, size: scope.typeOf(macro).kind === "list" ? target.size : 1 };
}

function valueAt(schema: Schema | undefined): Omit<Estimate, "cost"> {
  if (schema === undefined) return { size: 0 };
  const whole = schema["x-kubernetes-embedded-resource"] === true ? withTypeMeta(schema) : schema;
  return { size: maxElementsOf(whole), schema: whole };
}

/** The property that an expression calls by this name. */
function propertyOf(schema: Schema | undefined, field: string): Schema | undefined {
  return schema === undefined ? undefined : propertiesByField(schema).get(field);
}

const propertiesByField = memoizeWeak(
  ({ properties = {} }: Schema) =>
    new Map(Object.entries(properties).map(([key, property]) => [escapeField(key), property] as const)),
);

function elementOf(schema: Schema | undefined): Schema | undefined {
  if (schema?.type === "array") return schema.items;
  return typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

function sizeOfLiteral(value: CelValue): number {
  if (typeof value === "string") return countCharacters(value);
  return value instanceof Uint8Array ? value.length : 1;
}
