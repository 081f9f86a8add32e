import type { Expression } from "./expression.ts";

/**
 * The expression with each `cel.bind(name, value, body)` as `[value].map(name, body)[0]`. Kubernetes does not have this
 * macro; expressions of policies do.
 */
export function expandBindings(expression: Expression): Expression {
  const expand = expandBindings;
  switch (expression.kind) {
    case "literal":
    case "identifier":
      return expression;
    case "select":
    case "presence":
      return { ...expression, operand: expand(expression.operand) };
    case "index":
      return { ...expression, operand: expand(expression.operand), index: expand(expression.index) };
    case "list":
      return { ...expression, items: expression.items.map(expand) };
    case "map":
      return {
        ...expression,
        entries: expression.entries.map(([key, value]) => [expand(key), expand(value)] as const),
      };
    case "and":
    case "or":
      return { ...expression, left: expand(expression.left), right: expand(expression.right) };
    case "ternary": {
      const { condition, then, otherwise } = expression;
      return { ...expression, condition: expand(condition), then: expand(then), otherwise: expand(otherwise) };
    }
    case "macro":
      return { ...expression, target: expand(expression.target), arguments: expression.arguments.map(expand) };
    case "call":
      return bindingOf(expression) ?? withParts(expression);
  }
}

type Call = Extract<Expression, { readonly kind: "call" }>;

function withParts(call: Call): Expression {
  const target = call.target === undefined ? {} : { target: expandBindings(call.target) };
  return { ...call, ...target, arguments: call.arguments.map(expandBindings) };
}

function bindingOf({ position, name, target, arguments: parts }: Call): Expression | undefined {
  const [variable, value, body] = parts;
  const isBinding = name === "bind" && target?.kind === "identifier" && target.name === "cel" && parts.length === 3;
  if (!isBinding || variable?.kind !== "identifier" || value === undefined || body === undefined) return undefined;
  const loop: Expression = {
    kind: "macro",
    position,
    macro: "map",
    target: { kind: "list", position, items: [expandBindings(value)] },
    variables: [variable.name],
    arguments: [expandBindings(body)],
  };
  return { kind: "index", position, operand: loop, index: { kind: "literal", position, value: 0n }, isOptional: false };
}
