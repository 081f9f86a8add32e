// Texts as the Go programs print them that clients know: people and scripts read kube-apiserver's messages.

/** What Go writes in place of characters that have a short escape. */
export const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

/** A text as %q prints it. */
export function quoteText(text: string): string {
  return `"${text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/** A list of texts as %q prints it. */
export function quoteList(values: readonly string[]): string {
  return `[${values.map(quoteText).join(" ")}]`;
}

/** Several errors in one text; a single one is printed as it is. Source: apimachinery, util/errors Aggregate. */
export function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
