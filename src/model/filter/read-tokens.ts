export interface Token {
  /** `string` is a word in double quotes. */
  readonly kind: "word" | "string" | "operator" | "open" | "close" | "comma";
  /** Of a string: without quotes and escapes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** False: a string whose closing quote is missing. */
  readonly isWhole: boolean;
}

const operators = ["!=", "==", "<=", ">=", "=", "<", ">", "!"];
const marks: ReadonlyMap<string, Token["kind"]> = new Map([
  ["(", "open"],
  [")", "close"],
  [",", "comma"],
]);
const ends = /[\s,()=!<>"]/u;

/** The text as tokens, read once from left to right. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/u.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const token = readToken(text, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function readToken(text: string, start: number): Token {
  const first = text.charAt(start);
  const mark = marks.get(first);
  if (mark !== undefined) return { kind: mark, text: first, start, end: start + 1, isWhole: true };
  const operator = operators.find((candidate) => text.startsWith(candidate, start));
  if (operator !== undefined)
    return { kind: "operator", text: operator, start, end: start + operator.length, isWhole: true };
  return first === '"' ? readString(text, start) : readWord(text, start);
}

function readWord(text: string, start: number): Token {
  let end = start + 1;
  while (end < text.length && !ends.test(text.charAt(end))) end += 1;
  return { kind: "word", text: text.slice(start, end), start, end, isWhole: true };
}

function readString(text: string, start: number): Token {
  let content = "";
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') {
    if (text.charAt(at) === "\\" && at + 1 < text.length) at += 1;
    content += text.charAt(at);
    at += 1;
  }
  const isWhole = at < text.length;
  return { kind: "string", text: content, start, end: isWhole ? at + 1 : at, isWhole };
}

/** A text as one word of a filter: in quotes where it would be read as something else. */
export function quoteWord(text: string): string {
  const isPlain = text !== "" && !ends.test(text);
  return isPlain ? text : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
