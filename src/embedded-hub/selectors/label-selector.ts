// selectors: the texts of labelSelector and fieldSelector, as predicates.
import { stringifyJson } from "../../core/json.ts";
import { badRequest } from "../failures/failures.ts";
import { checkLabelValue, checkQualifiedName } from "../../core/formats/kube-names.ts";
import { checkSelectorLength } from "./selector-bounds.ts";

type Operator = "in" | "notin" | "exists" | "!" | "=" | "==" | "!=" | ">" | "<";

interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** Looks values up in one step: a selector may have thousands, and a list as many objects. */
interface Test extends Omit<Requirement, "values"> {
  readonly values: ReadonlySet<string>;
  readonly first: string;
}

interface Token {
  readonly kind: "word" | "symbol" | "end" | "error";
  readonly text: string;
}

export type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  readonly matches: (labels: Labels | undefined) => boolean;
  /** Each of them is in the JSON text of every object whose labels match; empty when no such text is known. */
  readonly texts: readonly string[];
}

const symbols = ["==", "!=", "=", "!", ">", "<", "(", ")", ","];

/**
 * The whole grammar: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<1`, with commas between.
 * Throws 400 with kube-apiserver's text, 413 for a text that is too long. Source: Kubernetes, apimachinery
 * labels/selector.go.
 */
export function parseLabelSelector(text: string): LabelSelector {
  checkSelectorLength(text);
  const tests = new LabelSelectorParser(text)
    .parse()
    .map(({ key, operator, values }): Test => ({ key, operator, values: new Set(values), first: values[0] ?? "0" }));
  return {
    matches: (labels = {}) => tests.every((test) => matches(test, labels)),
    texts: tests.flatMap(textOf),
  };
}

/** Keys and values of labels have no characters that JSON escapes. What begins with a letter is found faster than a quote. */
function textOf({ key, operator, values, first }: Test): readonly string[] {
  if (operator === "!" || operator === "!=" || operator === "notin") return [];
  const isOneValue = values.size === 1 && operator !== ">" && operator !== "<";
  return [isOneValue ? `${key}":"${first}"` : `${key}":`];
}

function matches({ key, operator, values, first }: Test, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "in":
    case "=":
    case "==":
      return value !== undefined && values.has(value);
    case "notin":
    case "!=":
      return value === undefined || !values.has(value);
    case ">":
    case "<": {
      if (value === undefined || !isInteger(value)) return false;
      const [left, right] = [BigInt(value), BigInt(first)];
      return operator === ">" ? left > right : left < right;
    }
  }
}

/** Tokens with one token of lookahead; a class for its position. */
class LabelSelectorParser {
  private readonly tokens: readonly Token[];
  private position = 0;

  constructor(text: string) {
    this.tokens = tokenize(text);
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const token = this.peek();
      if (token.kind === "end") return requirements;
      if (token.kind !== "word" && token.text !== "!") {
        throw badRequest(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.parseRequirement());
      const after = this.next();
      if (after.kind === "end") return requirements;
      if (after.text !== "," || after.kind !== "symbol") {
        throw badRequest(`found '${after.text}', expected: ',' or 'end of string'`);
      }
      const following = this.peek();
      if (following.kind !== "word" && following.text !== "!") {
        throw badRequest(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  private parseRequirement(): Requirement {
    const isNegated = this.peek().kind === "symbol" && this.peek().text === "!";
    if (isNegated) this.next();
    const key = this.next();
    if (key.kind !== "word") throw unparsed(`found '${key.text}', expected: identifier`);
    const keyErrors = checkQualifiedName(key.text);
    if (keyErrors.length > 0) throw unparsed(`<nil>: Invalid value: ${quote(key.text)}: ${keyErrors.join("; ")}`);
    const after = this.peek();
    if (isNegated) return { key: key.text, operator: "!", values: [] };
    if (after.kind === "end" || (after.kind === "symbol" && after.text === ",")) {
      return { key: key.text, operator: "exists", values: [] };
    }
    const operator = this.parseOperator();
    const values = operator === "in" || operator === "notin" ? this.parseValues() : [this.parseValue()];
    checkRequirement({ key: key.text, operator, values });
    return { key: key.text, operator, values };
  }

  private parseOperator(): Operator {
    const { text } = this.next();
    switch (text) {
      case "in":
      case "notin":
      case "=":
      case "==":
      case "!=":
      case ">":
      case "<":
        return text;
      default:
        throw unparsed(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  private parseValue(): string {
    const token = this.peek();
    if (token.kind === "end" || token.text === ",") return "";
    this.next();
    if (token.kind !== "word") throw unparsed(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  private parseValues(): readonly string[] {
    const open = this.next();
    if (open.text !== "(") throw unparsed(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    let isAfterValue = false;
    for (;;) {
      const token = this.next();
      if (token.text === ")" && token.kind === "symbol") {
        if (!isAfterValue) values.add("");
        return [...values].sort();
      }
      if (token.kind === "word" && !isAfterValue) {
        values.add(token.text);
        isAfterValue = true;
      } else if (token.text === "," && token.kind === "symbol") {
        if (!isAfterValue) values.add("");
        isAfterValue = false;
      } else {
        const expected =
          values.size === 0 ? "',', ')' or identifier" : isAfterValue ? "',' or ')'" : "',', or identifier";
        throw unparsed(`found '${token.text}', expected: ${expected}`);
      }
    }
  }

  private peek(): Token {
    return this.tokens[this.position] ?? { kind: "end", text: "" };
  }

  private next(): Token {
    const token = this.peek();
    this.position += 1;
    return token;
  }
}

function checkRequirement({ key, operator, values }: Requirement): void {
  const errors: string[] = [];
  if (operator === ">" || operator === "<") {
    for (const [index, value] of values.entries()) {
      if (isInteger(value)) continue;
      const text = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(`values[${index}]: Invalid value: ${quote(value)}: ${text}`);
    }
  }
  for (const [index, value] of values.entries()) {
    const texts = checkLabelValue(value);
    if (texts.length > 0) errors.push(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${texts.join("; ")}`);
  }
  if (errors.length === 1) throw unparsed(errors[0] ?? "");
  if (errors.length > 1) throw unparsed(`[${errors.join(", ")}]`);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let rest = text.trimStart();
  // To kube-apiserver's reader NUL is the end, of a token or of all.
  while (rest !== "" && !rest.startsWith("\0")) {
    const symbol = symbols.find((candidate) => rest.startsWith(candidate));
    const literal = symbol ?? /^[^=!(),<>\s\0]+/u.exec(rest)?.[0] ?? rest;
    tokens.push({ kind: symbol === undefined ? "word" : "symbol", text: literal });
    const isCut = rest[literal.length] === "\0";
    rest = rest.slice(literal.length + (isCut ? 1 : 0)).trimStart();
  }
  return [...tokens, { kind: "end", text: "" }];
}

/** Whether it is a whole number of 64 bits. */
function isInteger(value: string): boolean {
  return /^[-+]?\d{1,63}$/u.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}

function unparsed(text: string): Error {
  return badRequest(`unable to parse requirement: ${text}`);
}

function quote(value: string): string {
  return stringifyJson(value);
}
