/** A text without any of `characters` at its end. Takes time in proportion to what is cut, unlike a regular expression. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A text without any of `characters` at its start. */
export function trimStartOf(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}
