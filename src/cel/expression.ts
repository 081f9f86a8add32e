import type { ASTNode } from "@marcbachmann/cel-js";
import { Environment, ParseError } from "@marcbachmann/cel-js";
import type { CelValue } from "./cel-value.ts";
import { isDeeperThan, operandsOf } from "./expression-depth.ts";
import { isMacro } from "./macros.ts";
import type { MacroName } from "./macros.ts";

/** An expression, parsed. `position` is where messages about it point: an offset in the text. */
export type Expression = { readonly position: number } & (
  | { readonly kind: "literal"; readonly value: CelValue }
  | { readonly kind: "identifier"; readonly name: string }
  | { readonly kind: "select"; readonly operand: Expression; readonly field: string; readonly isOptional: boolean }
  /** `has(operand.field)`. */
  | { readonly kind: "presence"; readonly operand: Expression; readonly field: string }
  | { readonly kind: "index"; readonly operand: Expression; readonly index: Expression; readonly isOptional: boolean }
  /** A function or operator (`_+_`); methods have a target. */
  | {
      readonly kind: "call";
      readonly name: string;
      readonly target?: Expression;
      readonly arguments: readonly Expression[];
    }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "map"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "ternary";
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | {
      readonly kind: "macro";
      readonly macro: MacroName;
      readonly target: Expression;
      readonly variables: readonly string[];
      readonly arguments: readonly Expression[];
    }
);

export interface Issue {
  readonly position: number;
  readonly message: string;
}

export type Parsed =
  | { readonly kind: "expression"; readonly expression: Expression }
  | { readonly kind: "malformed"; readonly issue: Issue };

const maximumDepth = 250;
const limits = {
  maxAstNodes: 50_000,
  maxDepth: maximumDepth,
  maxListElements: 10_000,
  maxMapEntries: 10_000,
  maxCallArguments: 32,
};

/** Parses a text; what is wrong with it is one issue. */
export function parseExpression(text: string): Parsed {
  // Made anew each time: an environment remembers the types of what it parsed.
  const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true, limits });
  try {
    const { ast } = environment.parse(text);
    if (isDeeperThan(maximumDepth, ast)) return tooDeep;
    return { kind: "expression", expression: convert(ast) };
  } catch (error) {
    if (error instanceof ParseError) {
      const position = error.range?.start ?? text.length;
      return malformed(position, `Syntax error: ${error.summary}`);
    }
    // The parser counts no signs before a value.
    if (error instanceof RangeError) return tooDeep;
    if (error instanceof SyntaxIssue) return { kind: "malformed", issue: error.issue };
    throw error;
  }
}

function malformed(position: number, message: string): Parsed {
  return { kind: "malformed", issue: { position, message } };
}

const tooDeep = malformed(0, `expression recursion limit exceeded: ${maximumDepth}`);

class SyntaxIssue extends Error {
  readonly issue: Issue;

  constructor(position: number, message: string) {
    super(message);
    this.issue = { position, message };
  }
}

function convert(node: ASTNode): Expression {
  switch (node.op) {
    case "value":
      return { kind: "literal", position: node.start, value: literalOf(node, node.args) };
    case "id":
      return { kind: "identifier", position: node.start, name: node.args };
    case ".":
    case ".?": {
      const [operand, field] = node.args;
      const position = findFrom(node.input, operand.end, ".");
      return { kind: "select", position, operand: convert(operand), field, isOptional: node.op === ".?" };
    }
    case "[]":
    case "[?]": {
      const [operand, index] = node.args;
      const position = findFrom(node.input, operand.end, "[");
      return {
        kind: "index",
        position,
        operand: convert(operand),
        index: convert(index),
        isOptional: node.op === "[?]",
      };
    }
    case "call":
      return convertCall(node, node.args[0], undefined, node.args[1]);
    case "rcall":
      return convertCall(node, node.args[0], node.args[1], node.args[2]);
    case "list":
      return { kind: "list", position: node.start, items: node.args.map(convert) };
    case "map":
      return {
        kind: "map",
        position: node.start,
        entries: node.args.map(([key, value]) => [convert(key), convert(value)] as const),
      };
    case "?:": {
      const [condition, then, otherwise] = node.args;
      const position = findFrom(node.input, condition.end, "?");
      return {
        kind: "ternary",
        position,
        condition: convert(condition),
        then: convert(then),
        otherwise: convert(otherwise),
      };
    }
    case "&&":
    case "||":
      return balanced(
        node.op === "&&" ? "and" : "or",
        operandsOf(node).map(({ operand, junction }) => ({
          operand: convert(operand),
          position: findFrom(node.input, junction.args[0].end, node.op),
        })),
      );
    case "!_":
      return { kind: "call", position: node.start, name: "!_", arguments: [convert(node.args)] };
    case "-_":
      return convertNegation(node, node.args);
    default: {
      const [left, right] = node.args;
      const position = findFrom(node.input, left.end, node.op);
      const name = node.op === "in" ? "@in" : `_${node.op}_`;
      return { kind: "call", position, name, arguments: [convert(left), convert(right)] };
    }
  }
}

/**
 * A chain of junctions as a tree of little depth: it may have thousands of operands. Each position is that of the operator
 * in front. Source: cel-go 0.26, parser.
 */
function balanced(
  kind: "and" | "or",
  operands: readonly { readonly operand: Expression; readonly position: number }[],
): Expression {
  const middle = Math.ceil(operands.length / 2);
  const [first, second] = [operands[0], operands[middle]];
  if (first === undefined) throw new RangeError("a chain has two operands at least");
  if (second === undefined) return first.operand;
  return {
    kind,
    position: second.position,
    left: balanced(kind, operands.slice(0, middle)),
    right: balanced(kind, operands.slice(middle)),
  };
}

/** A minus in front of a number belongs to it. */
function convertNegation(node: ASTNode, operand: ASTNode): Expression {
  if (operand.op === "value" && (typeof operand.args === "bigint" || typeof operand.args === "number")) {
    return { kind: "literal", position: node.start, value: checkInt(-operand.args, node.start) };
  }
  return { kind: "call", position: node.start, name: "-_", arguments: [convert(operand)] };
}

function literalOf(
  { input, start, end }: Pick<ASTNode, "input" | "start" | "end">,
  value: Extract<ASTNode, { readonly op: "value" }>["args"],
): CelValue {
  if (value === null || typeof value === "boolean" || typeof value === "string" || typeof value === "number")
    return value;
  if (value instanceof Uint8Array) return bytesOf(input.slice(start, end), value);
  if (typeof value === "bigint") return checkInt(value, start);
  return { kind: "uint", value: value.value };
}

/**
 * The bytes of a literal: characters are those of UTF-8, an escape is one byte. The parser has one byte for each half of a
 * character, too (`halves`). Source: cel-go 0.26, unescape.
 */
function bytesOf(literal: string, halves: Uint8Array): Uint8Array {
  const [opening = "", quote = ""] = /^.("""|'''|.)/u.exec(literal) ?? [];
  const parts = literal.slice(opening.length, -quote.length).match(/\\(?:x..|[0-7]..|.)|[^\\]/gisu) ?? [];
  let at = 0;
  return Buffer.concat(
    parts.map((part) => {
      const isEscape = part.startsWith("\\");
      const start = at;
      at += isEscape ? 1 : part.length;
      return isEscape ? halves.subarray(start, at) : Buffer.from(part);
    }),
  );
}

function checkInt(value: bigint | number, position: number): bigint | number {
  const isTooLarge = typeof value === "bigint" && BigInt.asIntN(64, value) !== value;
  if (isTooLarge) throw new SyntaxIssue(position, "invalid int literal");
  return value;
}

function convertCall(node: ASTNode, name: string, receiver: ASTNode | undefined, args: readonly ASTNode[]): Expression {
  const position = findFrom(
    node.input,
    receiver === undefined ? node.start : afterName(node.input, receiver.end, name),
    "(",
  );
  if (receiver === undefined && name === "has" && args.length === 1) return convertPresence(position, args[0]);
  if (receiver !== undefined && isMacro(name, args.length)) {
    const count = variableCountOf(name, args.length);
    return {
      kind: "macro",
      position,
      macro: name,
      target: convert(receiver),
      variables: variableNames(args.slice(0, count)),
      arguments: args.slice(count).map(convert),
    };
  }
  return {
    kind: "call",
    position,
    name,
    ...(receiver === undefined ? {} : { target: convert(receiver) }),
    arguments: args.map(convert),
  };
}

function convertPresence(position: number, node: ASTNode | undefined): Expression {
  const argument = node === undefined ? undefined : convert(node);
  if (argument?.kind !== "select" || argument.isOptional) {
    throw new SyntaxIssue(argument?.position ?? position, "invalid argument to has() macro");
  }
  const { operand, field } = argument;
  return { kind: "presence", position, operand, field };
}

/** Comprehensions over two variables name both before their expressions. */
function variableCountOf(name: MacroName, argumentCount: number): number {
  const isOfTwo =
    name.startsWith("transform") ||
    (["all", "exists", "exists_one", "existsOne"].includes(name) && argumentCount === 3);
  return isOfTwo ? 2 : 1;
}

function variableNames(nodes: readonly ASTNode[]): string[] {
  const names: string[] = [];
  for (const node of nodes) {
    if (node.op !== "id") throw new SyntaxIssue(node.start, "argument must be a simple name");
    if (names.includes(node.args)) throw new SyntaxIssue(node.start, `duplicate variable name: ${node.args}`);
    names.push(node.args);
  }
  return names;
}

function afterName(text: string, from: number, name: string): number {
  const at = text.indexOf(name, from);
  return at < 0 ? from : at + name.length;
}

function findFrom(text: string, from: number, what: string): number {
  const at = text.indexOf(what, from);
  return at < 0 ? from : at;
}
