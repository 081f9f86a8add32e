import { unprintable } from "./printable.ts";

/**
 * A value as indented JSON for a terminal or a file. What is `unprintable` is written as escapes of JSON: parsed, the text is the
 * same.
 */
export function printableJson(value: unknown): string {
  return escapeJson(JSON.stringify(value, undefined, 2));
}

/** JSON text with such characters in the escapes of JSON; line feeds stay. */
export function escapeJson(text: string): string {
  return text.replace(unprintable, (character) =>
    character === "\n"
      ? character
      : character
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}

/** JSON text without blanks, of which each text is, once parsed, as `printable` has it: for a reader that shows it as it is. */
export function writePrintable(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, (character) => `\\\\u{${character.codePointAt(0)?.toString(16)}}`);
}
