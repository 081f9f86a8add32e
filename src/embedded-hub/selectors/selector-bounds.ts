import { tooLarge } from "../failures/failures.ts";

/** Characters of a selector: a URL has no room for more, and the body of a review would. */
const mostSelectorCharacters = 64 * 1024;

/** Throws 413 for a selector that is longer than any URL. */
export function checkSelectorLength(text: string): void {
  if (text.length <= mostSelectorCharacters) return;
  throw tooLarge(`Request entity too large: a selector has more than ${mostSelectorCharacters} characters`);
}
