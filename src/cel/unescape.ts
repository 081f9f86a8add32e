import { SyntaxIssue } from "./syntax-issue.ts";

/** What is between the quotes of a literal that begins at `position`; a raw one has no escapes. */
interface Literal {
  readonly body: string;
  readonly isRaw: boolean;
  readonly position: number;
}

const escape =
  /\\(?:[xX](?<byte>[0-9A-Fa-f]{2})|u(?<short>[0-9A-Fa-f]{4})|U(?<long>[0-9A-Fa-f]{8})|(?<octal>[0-3][0-7]{2})|(?<plain>[abfnrtv"'`?\\])|)/gu;
const plainEscapes: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

/** Source of both: cel-go 0.26, unescape. */
export function textOfLiteral({ body, isRaw, position }: Literal): string {
  if (isRaw) return body;
  return body.replaceAll(escape, (...match: unknown[]) => {
    const code = codeOf(match.at(-1) as Escape, position);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      throw new SyntaxIssue(position, "invalid unicode code point");
    }
    return String.fromCodePoint(code);
  });
}

/** Characters are those of UTF-8, an escape is one byte. */
export function bytesOfLiteral({ body, isRaw, position }: Literal): Buffer {
  if (isRaw) return Buffer.from(body);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const match of body.matchAll(escape)) {
    const groups: Escape = match.groups ?? {};
    if (groups.short !== undefined || groups.long !== undefined) throw malformed(position);
    parts.push(Buffer.from(body.slice(from, match.index)), Uint8Array.of(codeOf(groups, position)));
    from = match.index + match[0].length;
  }
  return Buffer.concat([...parts, Buffer.from(body.slice(from))]);
}

type Escape = Readonly<Partial<Record<"byte" | "short" | "long" | "octal" | "plain", string>>>;

function codeOf({ byte, short, long, octal, plain }: Escape, position: number): number {
  const hex = byte ?? short ?? long;
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  if (plain === undefined) throw malformed(position);
  return (plainEscapes.get(plain) ?? plain).charCodeAt(0);
}

function malformed(position: number): SyntaxIssue {
  return new SyntaxIssue(position, "unable to unescape string");
}
