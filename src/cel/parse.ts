import type { CelValue } from "./cel-value.ts";
import { callOf } from "./calls.ts";
import type { Expression, Issue } from "./expression.ts";
import { partsOf } from "./expression-parts.ts";
import { SyntaxIssue } from "./syntax-issue.ts";
import type { Token } from "./tokens.ts";
import { tokensOf } from "./tokens.ts";

const maximumDepth = 250;

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  /** How many expressions in brackets the present one is within. */
  nesting: number;
  /** How deep the parts within each part are nested; of a chain of junctions (`a || b || c`) that is one level. */
  readonly depths: WeakMap<Expression, number>;
}

export type Parsed =
  | { readonly kind: "expression"; readonly expression: Expression }
  | { readonly kind: "malformed"; readonly issue: Issue };

/** Parses a text; the first thing that is wrong with it is one issue. Source: cel-go 0.26, CEL.g4 and parser. */
export function parseExpression(text: string): Parsed {
  try {
    return { kind: "expression", expression: parseText(text) };
  } catch (error) {
    if (error instanceof SyntaxIssue) return { kind: "malformed", issue: error.issue };
    throw error;
  }
}

function parseText(text: string): Expression {
  const reader: Reader = { tokens: tokensOf(text), at: 0, nesting: 0, depths: new WeakMap() };
  const expression = readExpression(reader);
  if (next(reader).kind !== "end") throw unexpected(next(reader), "<EOF>");
  return expression;
}

function next({ tokens, at }: Reader): Token {
  const token = tokens[at] ?? tokens.at(-1);
  if (token === undefined) throw new RangeError("the tokens of a text have an end");
  return token;
}

function isSign(reader: Reader, ...signs: readonly string[]): boolean {
  const { kind, text } = next(reader);
  return kind === "sign" && signs.includes(text);
}

function take(reader: Reader): Token {
  const token = next(reader);
  reader.at++;
  return token;
}

function takeIf(reader: Reader, ...signs: readonly string[]): Token | undefined {
  return isSign(reader, ...signs) ? take(reader) : undefined;
}

function expectSign(reader: Reader, sign: string): Token {
  const token = takeIf(reader, sign);
  if (token === undefined) throw unexpected(next(reader), `'${sign}'`);
  return token;
}

function expectName(reader: Reader): Token {
  if (next(reader).kind !== "name") throw unexpected(next(reader), "IDENTIFIER");
  return take(reader);
}

function unexpected({ text, start }: Token, expected: string): SyntaxIssue {
  return new SyntaxIssue(start, `Syntax error: mismatched input '${text}' expecting ${expected}`);
}

function tooDeep(): SyntaxIssue {
  return new SyntaxIssue(0, `expression recursion limit exceeded: ${maximumDepth}`);
}

function made(reader: Reader, expression: Expression, parts = partsOf(expression)): Expression {
  const depth = 1 + parts.reduce((deepest, part) => Math.max(deepest, reader.depths.get(part) ?? 0), 0);
  if (depth > maximumDepth) throw tooDeep();
  reader.depths.set(expression, depth);
  return expression;
}

function readExpression(reader: Reader): Expression {
  reader.nesting++;
  if (reader.nesting > maximumDepth) throw tooDeep();
  const condition = readJunction(reader, "or");
  const question = takeIf(reader, "?");
  let expression = condition;
  if (question !== undefined) {
    const then = readJunction(reader, "or");
    expectSign(reader, ":");
    const otherwise = readExpression(reader);
    expression = made(reader, { kind: "ternary", position: question.start, condition, then, otherwise });
  }
  reader.nesting--;
  return expression;
}

function readJunction(reader: Reader, kind: "and" | "or"): Expression {
  const read = (): Expression => (kind === "or" ? readJunction(reader, "and") : readRelation(reader));
  const first = read();
  const operands = [{ operand: first, position: first.position }];
  for (;;) {
    const junction = takeIf(reader, kind === "or" ? "||" : "&&");
    if (junction === undefined) break;
    operands.push({ operand: read(), position: junction.start });
  }
  if (operands.length === 1) return first;
  return made(
    reader,
    balanced(kind, operands),
    operands.map(({ operand }) => operand),
  );
}

/**
 * A chain of junctions as a tree of little depth: it may have thousands of operands. Each position is that of the operator
 * in front.
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

/** All relations bind alike, and from the left: `true == 1 < 2` compares true with 1. */
function readRelation(reader: Reader): Expression {
  return readOperators(reader, ["<", "<=", ">=", ">", "==", "!=", "in"], readSum);
}

function readSum(reader: Reader): Expression {
  return readOperators(reader, ["+", "-"], readProduct);
}

function readProduct(reader: Reader): Expression {
  return readOperators(reader, ["*", "/", "%"], readUnary);
}

function readOperators(reader: Reader, signs: readonly string[], read: (reader: Reader) => Expression): Expression {
  let left = read(reader);
  for (;;) {
    const sign = takeIf(reader, ...signs);
    if (sign === undefined) return left;
    const name = sign.text === "in" ? "@in" : `_${sign.text}_`;
    left = made(reader, { kind: "call", position: sign.start, name, arguments: [left, read(reader)] });
  }
}

/** Two signs in front of a value cancel each other; one minus in front of a number belongs to it. */
function readUnary(reader: Reader): Expression {
  const first = next(reader);
  if (!isSign(reader, "!", "-") || isNegative(reader)) return readMember(reader);
  let count = 0;
  while (takeIf(reader, first.text) !== undefined) count++;
  const operand = readMember(reader);
  if (count % 2 === 0) return operand;
  return made(reader, { kind: "call", position: first.start, name: `${first.text}_`, arguments: [operand] });
}

function isNegative(reader: Reader): boolean {
  return isSign(reader, "-") && reader.tokens[reader.at + 1]?.kind === "number";
}

function readMember(reader: Reader): Expression {
  let operand = readPrimary(reader);
  for (;;) {
    const sign = takeIf(reader, ".", "[");
    if (sign === undefined) return operand;
    operand = made(reader, sign.text === "." ? readField(reader, operand, sign) : readIndex(reader, operand, sign));
  }
}

function readField(reader: Reader, operand: Expression, { start }: Token): Expression {
  const isOptional = takeIf(reader, "?") !== undefined;
  const { text } = expectName(reader);
  const open = isOptional ? undefined : takeIf(reader, "(");
  if (open === undefined) return { kind: "select", position: start, operand, field: text, isOptional };
  return callOf({ position: open.start, name: text, target: operand, parts: readArguments(reader) });
}

function readIndex(reader: Reader, operand: Expression, { start }: Token): Expression {
  const isOptional = takeIf(reader, "?") !== undefined;
  const index = readExpression(reader);
  expectSign(reader, "]");
  return { kind: "index", position: start, operand, index, isOptional };
}

function readArguments(reader: Reader): Expression[] {
  const parts: Expression[] = [];
  if (takeIf(reader, ")") !== undefined) return parts;
  do parts.push(readExpression(reader));
  while (takeIf(reader, ",") !== undefined);
  expectSign(reader, ")");
  return parts;
}

function readPrimary(reader: Reader): Expression {
  if (isSign(reader, ".") || next(reader).kind === "name") return readName(reader);
  const minus = isNegative(reader) ? take(reader) : undefined;
  const token = take(reader);
  if (minus !== undefined) return made(reader, numberOf(token, minus));
  if (token.kind === "sign" && token.text === "(") {
    const expression = readExpression(reader);
    expectSign(reader, ")");
    return expression;
  }
  if (token.kind === "sign" && token.text === "[") return readList(reader, token);
  if (token.kind === "sign" && token.text === "{") return readMap(reader, token);
  return made(reader, literalOf(token));
}

/** A name with a dot in front is that of a variable or a function, never that of a macro. */
function readName(reader: Reader): Expression {
  const isRooted = takeIf(reader, ".") !== undefined;
  const { text: name, start } = expectName(reader);
  if (reserved.has(name)) throw new SyntaxIssue(start, `reserved identifier: ${name}`);
  const open = takeIf(reader, "(");
  if (open === undefined) {
    return made(reader, { kind: "identifier", position: start, name, ...(isRooted ? { isRooted } : {}) });
  }
  const call = { position: open.start, name, parts: readArguments(reader) };
  if (!isRooted) return made(reader, callOf(call));
  return made(reader, { kind: "call", position: call.position, name, arguments: call.parts });
}

const reserved = new Set([
  ...["as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package"],
  ...["namespace", "return", "var", "void", "while"],
]);

function readList(reader: Reader, { start }: Token): Expression {
  const items: Expression[] = [];
  const optionals = new Set<number>();
  readItems(reader, "]", (isOptional) => {
    if (isOptional) optionals.add(items.length);
    items.push(readExpression(reader));
  });
  return made(reader, { kind: "list", position: start, items, ...(optionals.size > 0 ? { optionals } : {}) });
}

function readMap(reader: Reader, { start }: Token): Expression {
  const entries: (readonly [Expression, Expression])[] = [];
  const optionals = new Set<number>();
  readItems(reader, "}", (isOptional) => {
    if (isOptional) optionals.add(entries.length);
    const key = readExpression(reader);
    expectSign(reader, ":");
    entries.push([key, readExpression(reader)]);
  });
  return made(reader, { kind: "map", position: start, entries, ...(optionals.size > 0 ? { optionals } : {}) });
}

/** Items up to a bracket; a comma may precede it. */
function readItems(reader: Reader, closing: string, readItem: (isOptional: boolean) => void): void {
  while (!isSign(reader, ",", closing)) {
    readItem(takeIf(reader, "?") !== undefined);
    if (!isSign(reader, ",") || reader.tokens[reader.at + 1]?.text === closing) break;
    take(reader);
    if (isSign(reader, ",")) throw unexpected(next(reader), `'${closing}'`);
  }
  takeIf(reader, ",");
  expectSign(reader, closing);
}

function literalOf(token: Token): Expression {
  const { kind, text, start } = token;
  const make = (value: CelValue): Expression => ({ kind: "literal", position: start, value });
  if (kind === "number") return numberOf(token);
  if (kind === "text") return make(text);
  if (kind === "bytes") return make(new Uint8Array(Buffer.from(text, "latin1")));
  if (kind === "sign" && text === "null") return make(null);
  if (kind === "sign" && (text === "true" || text === "false")) return make(text === "true");
  throw unexpected(token, "an expression");
}

function numberOf({ text, start }: Token, minus?: Token): Expression {
  const position = minus?.start ?? start;
  const invalid = (type: string): SyntaxIssue => new SyntaxIssue(position, `invalid ${type} literal`);
  const make = (value: CelValue): Expression => ({ kind: "literal", position, value });
  if (/u$/iu.test(text)) {
    const value = BigInt(text.slice(0, -1));
    if (BigInt.asUintN(64, value) !== value) throw invalid("uint");
    const literal = make({ kind: "uint", value });
    if (minus === undefined) return literal;
    return { kind: "call", position, name: "-_", arguments: [{ ...literal, position: start }] };
  }
  if (!text.startsWith("0x") && /[.eE]/u.test(text)) {
    const value = Number(text);
    if (!Number.isFinite(value)) throw invalid("double");
    return make(minus === undefined ? value : -value);
  }
  const value = minus === undefined ? BigInt(text) : -BigInt(text);
  if (BigInt.asIntN(64, value) !== value) throw invalid("int");
  return make(value);
}
