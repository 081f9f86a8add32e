import type { Expression } from "./expression.ts";

/** The expressions directly within one. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "identifier":
      return [];
    case "select":
    case "presence":
      return [expression.operand];
    case "index":
      return [expression.operand, expression.index];
    case "call":
      return [...(expression.target === undefined ? [] : [expression.target]), ...expression.arguments];
    case "list":
      return expression.items;
    case "map":
      return expression.entries.flat();
    case "and":
    case "or":
      return [expression.left, expression.right];
    case "ternary":
      return [expression.condition, expression.then, expression.otherwise];
    case "macro":
      return [expression.target, ...expression.arguments];
  }
}
