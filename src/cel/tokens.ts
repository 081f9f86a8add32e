import { SyntaxIssue } from "./syntax-issue.ts";
import { bytesOfLiteral, textOfLiteral } from "./unescape.ts";

/** A word of the language. `start` and `end` are offsets in the text. */
export interface Token {
  /** `sign` is an operator, a bracket or a keyword. */
  readonly kind: "name" | "number" | "text" | "bytes" | "sign" | "end";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const hidden = /[\t\n\f\r ]+|\/\/[^\n]*/uy;
const name = /[A-Za-z_][A-Za-z0-9_]*/uy;
const number = /0x[0-9A-Fa-f]+[uU]?|[0-9]+[uU]|[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+(?:[eE][+-]?[0-9]+)?/uy;
const sign = /&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]{}]/uy;
const opening = /[bB]?[rR]?(?:"""|'''|["'])/uy;
const keywords = new Set(["true", "false", "null", "in"]);

/** The words of a text; the last one is its end. Throws a SyntaxIssue. Source: cel-go 0.26, CEL.g4. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (isAt(hidden, text, at)) at = hidden.lastIndex;
    if (at >= text.length) break;
    const token = tokenAt(text, at);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", text: "<EOF>", start: at, end: at });
  return tokens;
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function tokenAt(text: string, start: number): Token {
  const make = (kind: Token["kind"], end: number): Token => ({ kind, text: text.slice(start, end), start, end });
  if (isAt(opening, text, start)) return quotedAt(text, start, opening.lastIndex);
  if (isAt(name, text, start)) {
    const word = make("name", name.lastIndex);
    return keywords.has(word.text) ? { ...word, kind: "sign" } : word;
  }
  if (isAt(number, text, start)) return make("number", number.lastIndex);
  if (isAt(sign, text, start)) return make("sign", sign.lastIndex);
  throw unrecognized(text, start, start + 1);
}

/** A text or bytes in quotes; `text` of the token is what it has between them, in Latin-1 if bytes. */
function quotedAt(text: string, start: number, from: number): Token {
  const prefix = /^[bBrR]*/u.exec(text.slice(start, from))?.[0].toLowerCase() ?? "";
  const quote = text.slice(start + prefix.length, from);
  const isRaw = prefix.includes("r");
  const closing = closingOf(text, from, { quote, isRaw });
  if (closing === undefined) throw unrecognized(text, start, text.length);
  const literal = { body: text.slice(from, closing).replaceAll(/\r\n?/gu, "\n"), isRaw, position: start };
  const isBytes = prefix.startsWith("b");
  return {
    kind: isBytes ? "bytes" : "text",
    text: isBytes ? bytesOfLiteral(literal).toString("latin1") : textOfLiteral(literal),
    start,
    end: closing + quote.length,
  };
}

function closingOf(
  text: string,
  from: number,
  { quote, isRaw }: { readonly quote: string; readonly isRaw: boolean },
): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith(quote, at)) return at;
    const character = text[at];
    if (quote.length === 1 && (character === "\n" || character === "\r")) return undefined;
    if (character === "\\" && !isRaw) at++;
  }
  return undefined;
}

const mostShown = 40;

function unrecognized(text: string, start: number, end: number): SyntaxIssue {
  const [first = ""] = text.slice(start);
  const shown = end - start === 1 ? first : text.slice(start, Math.min(end, start + mostShown));
  return new SyntaxIssue(start, `Syntax error: token recognition error at: '${shown}'`);
}
