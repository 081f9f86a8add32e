import { hash, skipSpaces, space } from "./scan-spaces.ts";

/** A block scalar: its text, and the end of its last line. */
export interface ScannedBlockScalar {
  readonly value: string;
  readonly lineEnd: number;
}

/** Where a block scalar begins. */
interface Header {
  /** Offset of `|` or `>`. */
  readonly at: number;
  readonly lineEnd: number;
  /** Column of the map or list that it is a value of. */
  readonly indent: number;
}

/**
 * Reads the lines of `|`, `|-`, `>` or `>-`. Undefined for what few files have, good or bad: other headers, blank lines in
 * front or of spaces, comments at the end, deeper lines and spaces at the ends of folded lines, a last line without its end.
 */
export function scanBlockScalar(text: string, { at, lineEnd, indent }: Header): ScannedBlockScalar | undefined {
  const header = text.slice(at, lineEnd).trimEnd();
  if (!/^[|>]-?$/u.test(header)) return undefined;
  const isFolded = header.startsWith(">");
  const first = skipSpaces(text, lineEnd + 1, text.length) - lineEnd - 1;
  if (first <= indent) return undefined;
  let value = "";
  let blanks = 0;
  let last = lineEnd;
  for (let start = lineEnd + 1; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const content = skipSpaces(text, start, end);
    if (content === end) {
      // Blank lines in front, and those of spaces alone.
      if (end > start || last === lineEnd) return undefined;
      blanks++;
    } else if (content - start < first) {
      if (text.charCodeAt(content) === hash) return undefined;
      break;
    } else {
      if (newline < 0) return undefined;
      if (isFolded && (content - start > first || text.charCodeAt(end - 1) === space)) return undefined;
      const between = isFolded && blanks === 0 ? " " : "\n".repeat(isFolded ? blanks : blanks + 1);
      value += (last === lineEnd ? "" : between) + text.slice(start + first, end);
      blanks = 0;
      last = end;
    }
    start = end + 1;
  }
  return last === lineEnd ? undefined : { value: header.endsWith("-") ? value : `${value}\n`, lineEnd: last };
}
