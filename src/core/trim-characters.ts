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

/**
 * The start of a text, of at most this length. It never ends in half of a surrogate pair: no server keeps that, so the text
 * would differ each time it is compared with what a server has.
 */
export function cutText(text: string, mostLength: number): string {
  return text.length > mostLength ? text.slice(0, mostLength).replace(/\p{Cs}$/u, "") : text;
}

/** The same, with a mark behind a text that was cut. */
export function cutWith(mark: string, text: string, mostLength: number): string {
  return text.length > mostLength ? `${cutText(text, mostLength)}${mark}` : text;
}
