import { nearestName } from "../../core/nearest-name.ts";
import { parseAge } from "./parse-age.ts";
import type { FilterKey, FilterProblem, FilterTerm, FilterTest, OrderOperator, ParsedFilter } from "./filter.ts";
import { fieldKind, keyText, readKey } from "./filter.ts";
import { parseNumbers } from "./compare-numbers.ts";
import type { Token } from "./read-tokens.ts";
import { readTokens } from "./read-tokens.ts";

/** Characters; a longer text is refused as a whole. */
export const longestFilter = 2000;

/**
 * Reads a filter. A part that is not understood is a problem with its place and what to type instead; the other terms
 * are kept. Takes time in proportion to the text.
 */
export function parseFilter(text: string): ParsedFilter {
  if (text.length > longestFilter) {
    const message = `The filter has ${text.length} characters; ${longestFilter} is the most.`;
    return { terms: [], problems: [{ start: 0, end: text.length, message, remedy: "Use a group or a wildcard." }] };
  }
  const terms: FilterTerm[] = [];
  const problems: FilterProblem[] = [];
  const tokens = readTokens(text);
  let at = 0;
  while (at < tokens.length) {
    const part = readPart(tokens, at);
    at = part.next;
    const place = { start: tokens[part.first]?.start ?? 0, end: tokens[part.next - 1]?.end ?? 0 };
    if (part.test !== undefined) terms.push({ test: part.test, ...place });
    if (part.problem !== undefined) problems.push({ ...place, ...part.problem });
  }
  return { terms, problems };
}

type Complaint = Pick<FilterProblem, "message" | "remedy">;

interface Part {
  readonly first: number;
  /** Index of the token after it; always beyond `first`. */
  readonly next: number;
  readonly test?: FilterTest;
  readonly problem?: Complaint;
}

function readPart(tokens: readonly Token[], first: number): Part {
  const token = tokens[first];
  const after = tokens[first + 1];
  if (token === undefined || token.kind === "comma") return { first, next: first + 1 };
  if (!token.isWhole) return failed(first, first + 1, "The closing quote is missing.", 'Add " at its end.');
  if (token.kind === "operator") return readNegatedText(tokens, first, token);
  if (token.kind === "open" || token.kind === "close") {
    const remedy = "A list is `key in (a, b)`; put text with parentheses in double quotes.";
    return failed(first, first + 1, `"${token.text}" is not part of a list.`, remedy);
  }
  if (after?.kind === "operator" && after.text !== "!") return readComparison(tokens, first, token);
  const word = token.kind === "word" ? after?.text.toLowerCase() : undefined;
  const isList = after?.kind === "word" && (word === "in" || word === "notin") && tokens[first + 2]?.kind === "open";
  if (isList) return readList(tokens, first, { key: readKey(token.text), isNegated: word === "notin" });
  return { first, next: first + 1, test: { kind: "text", text: token.text, isNegated: false } };
}

function readNegatedText(tokens: readonly Token[], first: number, operator: Token): Part {
  const word = tokens[first + 1];
  const isWord = word?.start === operator.end && (word.kind === "word" || word.kind === "string") && word.isWhole;
  if (operator.text === "!" && isWord)
    return { first, next: first + 2, test: { kind: "text", text: word.text, isNegated: true } };
  const remedy = operator.text === "!" ? "Write !word." : `Write key${operator.text}value.`;
  return failed(first, first + 1, `"${operator.text}" has nothing to compare.`, remedy);
}

function readComparison(tokens: readonly Token[], first: number, name: Token): Part {
  const operator = tokens[first + 1];
  const value = tokens[first + 2];
  const text = operator?.text ?? "";
  // `env= state=Ready`: the value is missing, and `state` begins the next term.
  const isNextTerm =
    value !== undefined && value.start > (operator?.end ?? 0) && tokens[first + 3]?.kind === "operator";
  if ((value?.kind !== "word" && value?.kind !== "string") || isNextTerm) {
    const remedy = `Write ${name.text}${text}value, or ${name.text}="" for an empty one.`;
    return failed(first, first + 2, `"${name.text}${text}" has no value.`, remedy);
  }
  if (!value.isWhole) return failed(first, first + 3, "The closing quote is missing.", 'Add " at its end.');
  const key = readKey(name.text);
  const test: FilterTest =
    text === "=" || text === "==" || text === "!="
      ? { kind: "among", key, values: [value.text], isNegated: text === "!=" }
      : { kind: "order", key, operator: text as OrderOperator, value: value.text };
  return checked(first, first + 3, test);
}

function readList(
  tokens: readonly Token[],
  first: number,
  { key, isNegated }: { readonly key: FilterKey; readonly isNegated: boolean },
): Part {
  const values: string[] = [];
  let at = first + 3;
  for (let token = tokens[at]; token !== undefined && token.kind !== "close"; token = tokens[at]) {
    const isValue = (token.kind === "word" || token.kind === "string") && token.isWhole;
    if (isValue) values.push(token.text);
    else if (token.kind !== "comma")
      return failed(first, at + 1, `"${token.text}" is no value of a list.`, "Put it in double quotes.");
    at += 1;
  }
  if (tokens[at] === undefined) return failed(first, at, "The list has no end.", 'Add ")".');
  if (values.length === 0) return failed(first, at + 1, "The list is empty.", `Write ${keyText(key)} in (a, b).`);
  return checked(first, at + 1, { kind: "among", key, values, isNegated });
}

function checked(first: number, next: number, test: Exclude<FilterTest, { kind: "text" }>): Part {
  const problem = test.kind === "order" ? checkOrder(test) : checkValues(test);
  return problem ? { first, next, problem } : { first, next, test };
}

function checkValues({ key, values }: Extract<FilterTest, { kind: "among" }>): Complaint | undefined {
  const known = key.kind === "field" ? fieldKind(key.name).values : undefined;
  const wrong = known && values.find((value) => !isAmongWords(known, value));
  if (known === undefined || wrong === undefined) return undefined;
  const nearest = nearestName(
    wrong.toLowerCase(),
    known.map((word) => word.toLowerCase()),
  );
  const meant = known.find((word) => word.toLowerCase() === nearest);
  const remedy = meant === undefined ? `It is one of ${known.join(", ")}.` : `Did you mean ${meant}?`;
  return { message: `"${wrong}" is no ${key.name}.`, remedy };
}

function isAmongWords(known: readonly string[], value: string): boolean {
  return /[*?]/u.test(value) || known.some((word) => word.toLowerCase() === value.toLowerCase());
}

function checkOrder({ key, operator, value }: Extract<FilterTest, { kind: "order" }>): Complaint | undefined {
  const order = key.kind === "label" ? "version" : fieldKind(key.name).order;
  if (order === undefined)
    return { message: `"${operator}" cannot order ${key.name}.`, remedy: `Use =, != or in (...) with ${key.name}.` };
  const isRead = order === "age" ? parseAge(value) !== undefined : parseNumbers(value) !== undefined;
  if (isRead) return undefined;
  const example = order === "age" ? "2h or 8d" : order === "number" ? "5" : "1.33";
  return { message: `"${value}" cannot be ordered.`, remedy: `Write ${keyText(key)}${operator}${example}.` };
}

function failed(first: number, next: number, message: string, remedy: string): Part {
  return { first, next, problem: { message, remedy } };
}
