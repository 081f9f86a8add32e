/** Where the spaces from the offset on end, at the latest at `end`. */
export function skipSpaces(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && text.charCodeAt(at) === space) at++;
  return at;
}

/** True when nothing but spaces, or a comment behind a space, is between the offsets. */
export function isBlank(text: string, from: number, end: number): boolean {
  const at = skipSpaces(text, from, end);
  return at === end || (at > from && text.charCodeAt(at) === hash);
}

/** The character before `at` is a space or the colon or dash of an entry with nothing behind it. */
export function isComment(text: string, at: number): boolean {
  return text.charCodeAt(at) === hash && text.charCodeAt(at - 1) === space;
}

export const space = 0x20;
export const hash = 0x23;
