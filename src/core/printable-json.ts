/**
 * A value as indented JSON for a terminal or a file. What turns the direction of writing, ends a line, controls a
 * terminal or begins a command to the runner of a workflow is written as escapes of JSON: parsed, the text is the same.
 */
export function printableJson(value: unknown): string {
  return escapeJson(JSON.stringify(value, undefined, 2));
}

/** JSON text with such characters in the escapes of JSON; line feeds stay. */
export function escapeJson(text: string): string {
  return text.replace(
    /(?<=#)#(?=\w*\[)|(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
