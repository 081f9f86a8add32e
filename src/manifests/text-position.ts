export interface TextPosition {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units, as editors count. */
  readonly column: number;
}

/** The line and column of an offset; an offset past the end gives the end. */
export function positionAt(text: string, offset: number): TextPosition {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { line, column: end - lineStart + 1 };
}
