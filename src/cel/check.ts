import type { CelType } from "./cel-type.ts";
import { boolType, describeType, dyn, listOf, mapOf, resolve, settle } from "./cel-type.ts";
import type { CelValue } from "./cel-value.ts";
import { typeNameOf } from "./cel-value.ts";
import { macroType } from "./check-macro.ts";
import type { Checker, Variables } from "./checker.ts";
import { assign, callType, expectBool, freeType, report } from "./checker.ts";
import type { Expression, Issue } from "./expression.ts";
import { hasFunction } from "./library.ts";
import { qualifiedNameOf, resolveCall, typeOfTypeName } from "./names.ts";
import type { Library } from "./overload.ts";

/** What an expression may refer to. */
export interface CheckScope {
  readonly library: Library;
  readonly variables: ReadonlyMap<string, CelType>;
}

export interface Checked {
  readonly type: CelType;
  readonly issues: readonly Issue[];
  /** The type of any part of the expression. */
  readonly typeOf: (part: Expression) => CelType;
}

/** The type of an expression, and all that is wrong with it. Source: cel-go 0.26, checker. */
export function checkExpression(expression: Expression, scope: CheckScope): Checked {
  const { library, variables } = scope;
  const types = new Map<Expression, CelType>();
  const checker: Checker = { library, issues: [], types, bindings: new Map(), freeTypeCount: 0 };
  const type = typeOf(checker, expression, variables);
  return {
    type: settle(type, checker.bindings),
    issues: checker.issues,
    typeOf: (part) => settle(types.get(part) ?? dyn, checker.bindings),
  };
}

/** The type of a part; issues are added to the checker, and what is wrong counts as dyn. */
function typeOf(checker: Checker, expression: Expression, variables: Variables): CelType {
  const type = findType(checker, expression, variables);
  checker.types.set(expression, type);
  return type;
}

function findType(checker: Checker, expression: Expression, variables: Variables): CelType {
  switch (expression.kind) {
    case "literal":
      return typeOfLiteral(expression.value);
    case "identifier":
      return typeOfName(checker, expression, variables);
    case "select":
      return typeOfSelect(checker, expression, variables);
    case "presence":
      typeOfField(checker, expression, variables);
      return boolType;
    case "index": {
      const operands = [expression.operand, expression.index].map((part) => typeOf(checker, part, variables));
      const key = expression.isOptional ? "_[?_]" : "_[_]";
      return callType(checker, { position: expression.position, key }, operands);
    }
    case "call":
      return typeOfCall(checker, expression, variables);
    case "list":
      return listOf(joined(checker, expression, variables) ?? freeType(checker));
    case "map": {
      const keys = joined(checker, { items: expression.entries.map(([key]) => key) }, variables);
      const { optionals } = expression;
      const values = joined(checker, { items: expression.entries.map(([, value]) => value), optionals }, variables);
      return mapOf(keys ?? freeType(checker), values ?? freeType(checker));
    }
    case "and":
    case "or":
      for (const operand of [expression.left, expression.right]) {
        expectBool(checker, operand, typeOf(checker, operand, variables));
      }
      return boolType;
    case "ternary": {
      const operands = [expression.condition, expression.then, expression.otherwise];
      const types = operands.map((part) => typeOf(checker, part, variables));
      return callType(checker, { position: expression.position, key: "_?_:_" }, types);
    }
    case "macro":
      return macroType(checker, expression, { variables, typeOf });
  }
}

function typeOfLiteral(value: CelValue): CelType {
  const name = typeNameOf(value);
  switch (name) {
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "null_type":
      return { kind: name };
    default:
      return dyn;
  }
}

function typeOfName(
  checker: Checker,
  { name, position }: Extract<Expression, { readonly kind: "identifier" }>,
  variables: Variables,
): CelType {
  const type = variables.get(name);
  if (type !== undefined) return type;
  const named = typeOfTypeName(name);
  if (named !== undefined) return named;
  report(checker, position, `undeclared reference to '${name}' (in container '')`);
  return dyn;
}

type Selection = Extract<Expression, { readonly kind: "select" | "presence" }>;

function typeOfSelect(checker: Checker, expression: Selection, variables: Variables): CelType {
  const qualified = qualifiedNameOf(expression);
  const named = qualified === undefined ? undefined : typeOfTypeName(qualified);
  return named ?? typeOfField(checker, expression, variables);
}

function typeOfField(checker: Checker, expression: Selection, variables: Variables): CelType {
  const operand = resolve(typeOf(checker, expression.operand, variables), checker.bindings);
  const isChained = operand.kind === "optional";
  const type = fieldType(checker, expression, isChained ? resolve(operand.value, checker.bindings) : operand);
  const isOptional = expression.kind === "select" && expression.isOptional;
  return isChained || isOptional ? { kind: "optional", value: type } : type;
}

function fieldType(checker: Checker, { position, field }: Selection, owner: CelType): CelType {
  switch (owner.kind) {
    case "map":
      return owner.value;
    case "object": {
      const type = owner.fields.get(field);
      if (type === undefined) report(checker, position, `undefined field '${field}'`);
      return type ?? dyn;
    }
    case "param":
      assign(checker, dyn, owner);
      return dyn;
    case "dyn":
      return dyn;
    default: {
      // Types of the libraries of Kubernetes are objects there, without fields.
      const isObject = owner.kind === "opaque" && owner.name.startsWith("kubernetes.");
      const name = describeType(owner);
      const text = isObject
        ? `unexpected failed resolution of '${name}'`
        : `type '${name}' does not support field selection`;
      report(checker, position, text);
      return dyn;
    }
  }
}

function typeOfCall(
  checker: Checker,
  call: Extract<Expression, { readonly kind: "call" }>,
  variables: Variables,
): CelType {
  const { key, operands } = resolveCall(call, checker.library);
  const isMethod = key.startsWith(".");
  const [target, ...rest] = operands;
  const typesOf = (parts: readonly Expression[]): CelType[] => parts.map((part) => typeOf(checker, part, variables));
  // Arguments are checked before the target: issues come in that order.
  const types =
    isMethod && target !== undefined ? afterwards(typesOf(rest), () => typesOf([target])) : typesOf(operands);
  if (!hasFunction(checker.library, key.replace(/^\./u, ""))) {
    report(checker, call.position, `undeclared reference to '${call.name}' (in container '')`);
    return dyn;
  }
  return callType(checker, { position: call.position, key }, types);
}

function afterwards(rest: readonly CelType[], first: () => readonly CelType[]): CelType[] {
  return [...first(), ...rest];
}

/** The type that fits all items, or undefined when there are none. */
function joined(checker: Checker, { items, optionals }: Items, variables: Variables): CelType | undefined {
  let common: CelType | undefined;
  for (const [index, item] of items.entries()) {
    const itemType = typeOf(checker, item, variables);
    const type = optionals?.has(index) === true ? unwrapped(checker, item, itemType) : itemType;
    if (common === undefined) common = type;
    else common = assign(checker, common, type) ? moreGeneral(common, type) : dyn;
  }
  return common;
}

interface Items {
  readonly items: readonly Expression[];
  readonly optionals?: ReadonlySet<number> | undefined;
}

/** The type of the value of an optional. */
function unwrapped(checker: Checker, { position }: Expression, type: CelType): CelType {
  const resolved = resolve(type, checker.bindings);
  if (resolved.kind === "optional") return resolved.value;
  if (resolved.kind !== "dyn") {
    const found = describeType(resolved);
    report(checker, position, `expected type 'optional_type(${found})' but found '${found}'`);
  }
  return resolved;
}

function moreGeneral(left: CelType, right: CelType): CelType {
  return left.kind !== "dyn" && (right.kind === "dyn" || left.kind === "null_type") ? right : left;
}
