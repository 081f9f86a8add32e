/**
 * Control characters, line ends, half characters, unusual blanks, and what is not seen or turns the direction of writing; also
 * the start of a command to the runner of a workflow (`##[...]`, `##vso[...]`), which takes it anywhere in a line. Emoji and some
 * scripts need joiners: they stay behind characters that are no ASCII.
 */
export const unprintable =
  /(?<=#)#(?=\w*\[)|[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]|(?!(?<=\P{ASCII})[\u200c\u200d\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

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
