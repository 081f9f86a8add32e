import { tooLarge } from "../failures/failures.ts";
import { longestPath, tooLongPaths } from "../verbs/object-bounds.ts";

/**
 * Values in a JSON body, counted before it is parsed. A definition may have 100,000 and its managed fields as many
 * (verbs/object-bounds, which holds every other kind to 20,000 once its kind is known).
 */
const mostBodyValues = 200_000;
/** Characters of the paths of all of them together: 640 each for a definition of 100,000. */
const mostPathCharacters = 64 * 1024 * 1024;
/** Lists and maps within each other. */
const deepestLevel = 128;

const quote = 34;
const backslash = 92;

/**
 * Throws 413 before a JSON text is parsed that would cost too much. False when it is deeper than `readerDepth`, which the
 * reader refuses with its own message.
 */
export function checkJsonBounds(text: string, readerDepth: number): boolean {
  let values = 0;
  let depth = 0;
  let deepest = 0;
  let nameLength = 0;
  let pathCharacters = 0;
  // Of the lists and maps around, and of the value that comes.
  const paths = [0];
  let path = 0;
  for (let position = 0; position < text.length && values <= mostBodyValues; position += 1) {
    switch (text.charCodeAt(position)) {
      case quote: {
        const end = endOfString(text, position + 1);
        nameLength = end - position - 1;
        position = end;
        break;
      }
      case 58: // :
        path = (paths[depth] ?? 0) + nameLength + 1;
        if (path > longestPath) throw tooLongPaths();
        pathCharacters += path;
        break;
      case 44: // ,
        values += 1;
        pathCharacters += paths[depth] ?? 0;
        break;
      case 91: // [
      case 123: // {
        values += 1;
        depth += 1;
        paths[depth] = path;
        deepest = Math.max(deepest, depth);
        if (depth > readerDepth) return false;
        break;
      case 93: // ]
      case 125: // }
        depth -= 1;
        path = paths[depth] ?? 0;
    }
  }
  if (pathCharacters > mostPathCharacters) throw tooLongPaths();
  if (values > mostBodyValues) {
    throw tooLarge(`Request entity too large: the body has more than ${mostBodyValues} values`);
  }
  if (deepest > deepestLevel) {
    throw tooLarge(`Request entity too large: values are nested more than ${deepestLevel} levels deep`);
  }
  return true;
}

/** The place of the quote that ends a string. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
