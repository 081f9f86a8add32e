import type { ASTNode } from "@marcbachmann/cel-js";

/** Names that the bounded expression calls; an author's expression that uses one of them does not compile. */
export const boundNames = {
  step: "rollcallStep",
  weigh: "rollcallWeigh",
  join: "rollcallJoin",
  matches: "rollcallMatches",
  duration: "rollcallDuration",
} as const;

/** Macros whose first argument is a name and whose others are evaluated once for each entry of the receiver. */
const loops = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Receivers that are names, not values. */
const namespaces = new Set(["optional"]);

/**
 * Text of the same expression in which every part that costs something is wrapped in `rollcallStep(...)`, operands of
 * comparisons in `rollcallWeigh(...)`, and functions that could cost more than their operands are replaced by bounded
 * ones. It is text, so that nothing but the library's public interface is relied on.
 */
export function boundExpression(node: ASTNode): string {
  switch (node.op) {
    case "value":
      return sourceOf(node);
    case "id":
      return wrap("step", node.args);
    case ".":
    case ".?":
    case "[]":
    case "[?]":
      return wrap("step", boundAccess(node));
    case "call":
      return wrap("step", boundCall(node, ...node.args));
    case "rcall":
      return wrap("step", boundMethod(...node.args));
    case "list":
      return wrap("step", `[${node.args.map(boundExpression).join(", ")}]`);
    case "map":
      return wrap("step", `{${node.args.map((entry) => entry.map(boundExpression).join(": ")).join(", ")}}`);
    case "?:": {
      const [condition, yes, no] = node.args;
      return `(${boundExpression(condition)} ? ${boundExpression(yes)} : ${boundExpression(no)})`;
    }
    case "!_":
      return `(!${boundExpression(node.args)})`;
    case "-_":
      return `(-${boundExpression(node.args)})`;
    case "==":
    case "!=":
    case "in":
      return `(${node.args.map((operand) => wrap("weigh", boundExpression(operand))).join(` ${node.op} `)})`;
    case "||":
    case "&&":
      return `(${operandsOf(node, node.op).map(boundExpression).join(` ${node.op} `)})`;
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return wrap("step", `(${node.args.map(boundExpression).join(` ${node.op} `)})`);
  }
}

/** The operands of `a || b || c`, which is parsed as nested pairs. */
function operandsOf(node: ASTNode, op: "||" | "&&"): ASTNode[] {
  const operands: ASTNode[] = [];
  let rest = node;
  while (rest.op === op) {
    operands.unshift(rest.args[1]);
    rest = rest.args[0];
  }
  return [rest, ...operands];
}

/** A chain like `object.metadata.labels` is one step, but for the expressions in its brackets. */
function boundAccess(node: ASTNode): string {
  switch (node.op) {
    case "id":
      return node.args;
    case ".":
      return `${boundAccess(node.args[0])}[${quote(node.args[1])}]`;
    case ".?":
      return `${boundAccess(node.args[0])}[?${quote(node.args[1])}]`;
    case "[]":
      return `${boundAccess(node.args[0])}[${boundExpression(node.args[1])}]`;
    case "[?]":
      return `${boundAccess(node.args[0])}[?${boundExpression(node.args[1])}]`;
    default:
      return `(${boundExpression(node)})`;
  }
}

function boundCall(node: ASTNode, name: string, args: readonly ASTNode[]): string {
  // The argument of has() must stay a plain chain of names.
  if (name === "has") return sourceOf(node);
  const known = name === "duration" ? boundNames.duration : name;
  return `${known}(${args.map(boundExpression).join(", ")})`;
}

function boundMethod(name: string, receiver: ASTNode, args: readonly ASTNode[]): string {
  const [first, ...rest] = args;
  if (loops.has(name) && first?.op === "id") {
    const bodies = rest.map((body) => wrap("step", boundExpression(body)));
    return `${boundExpression(receiver)}.${name}(${[first.args, ...bodies].join(", ")})`;
  }
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel" && first?.op === "id") {
    return `cel.bind(${[first.args, ...rest.map(boundExpression)].join(", ")})`;
  }
  const texts = args.map(boundExpression);
  if (name === "join") return `${boundNames.join}(${[wrap("weigh", boundExpression(receiver)), ...texts].join(", ")})`;
  if (name === "matches") return `${boundNames.matches}(${[boundExpression(receiver), ...texts].join(", ")})`;
  const target = receiver.op === "id" && namespaces.has(receiver.args) ? receiver.args : boundExpression(receiver);
  return `${target}.${name}(${texts.join(", ")})`;
}

function wrap(name: keyof typeof boundNames, text: string): string {
  return `${boundNames[name]}(${text})`;
}

function quote(name: string): string {
  return JSON.stringify(name);
}

function sourceOf(node: ASTNode): string {
  return node.input.slice(node.start, node.end);
}
