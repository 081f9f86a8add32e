import { unprintable } from "./printable-json.ts";

/**
 * Text from outside as it may be sent to a terminal, a log or a reader of a plan: what is `unprintable` becomes `\u{...}`. Names
 * of files and objects come from people we do not know.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** The same of each line of a text: its line feeds stay. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** JSON text without blanks, of which each text is, once parsed, as `printable` has it: for a reader that shows it as it is. */
export function writePrintable(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, (character) => `\\${escapeOf(character)}`);
}
