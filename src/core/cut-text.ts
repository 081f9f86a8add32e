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
