/** How much of a JSON text is read. */
export interface JsonBounds {
  /** In UTF-16 units. Default 16 Mi, which is the largest page of a list. */
  readonly maxLength?: number;
  /** Lists and maps within each other. Default 128: a definition of Kubernetes needs some forty. */
  readonly maxDepth?: number;
  /** What becomes of a list or map that is deeper: it is read without its content, or the whole text is refused (default). */
  readonly deeper?: "emptied" | "refused";
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * The value of a JSON text that another program, a server or a user wrote; undefined when it is no JSON or beyond a bound.
 * The bounds are checked before the parser runs, so that no function that recurses over the value overflows the stack.
 * Linear. Never throws: the parser's own message would repeat the text, which may be secret.
 */
export function parseJson(text: string, bounds: JsonBounds = {}): unknown {
  const { maxLength = 16 * 1024 ** 2, maxDepth = 128, deeper = "refused" } = bounds;
  if (text.length > maxLength) return undefined;
  const isDeep = isDeeperThan(maxDepth, text);
  if (isDeep && deeper === "refused") return undefined;
  try {
    return JSON.parse(isDeep ? emptyDeeperThan(maxDepth, text) : text) as unknown;
  } catch {
    return undefined;
  }
}

function isDeeperThan(maxDepth: number, text: string): boolean {
  // It needs a character for each level.
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
    }
  }
  return false;
}

/** The text without the content of each list and map that is deeper. What is left out need not be JSON. */
function emptyDeeperThan(maxDepth: number, text: string): string {
  const kept: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth === maxDepth + 1) kept.push(text.slice(from, at + 1));
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (depth-- === maxDepth + 1) from = at;
    }
  }
  // A text that ends within such a value is no JSON.
  return depth > maxDepth ? "" : kept.join("") + text.slice(from);
}

/** The index of the quote that closes the one at `start`; the end of the text when none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
