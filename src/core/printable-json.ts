/**
 * What a reader does not see, or takes for something else: control characters, line ends, half characters, unusual blanks, what
 * has no width or turns the direction of writing, and letters that look like Latin ones beside these. Also the start of a command
 * to the runner of a workflow (`##[...]`, `##vso[...]`), which takes it anywhere in a line. Emoji and some scripts need joiners:
 * they stay behind characters that are no ASCII.
 */
export const unprintable =
  /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}\p{sc=Lisu}](?:(?<=[A-Za-z].)|(?=[A-Za-z]))|(?<=#)#(?=\w*\[)|(?![ \u3000])[\p{Z}\p{Cc}\p{Cs}\u2800]|(?!(?<=\P{ASCII})[\u200c\u200d\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/**
 * A value as indented JSON for a terminal or a file. What is `unprintable` is written as escapes of JSON: parsed, the text is the
 * same.
 */
export function printableJson(value: unknown): string {
  return escapeJson(JSON.stringify(value, undefined, 2));
}

/** JSON text with such characters in the escapes of JSON; line feeds stay. */
export function escapeJson(text: string): string {
  return text.replace(unprintable, (found) =>
    found === "\n"
      ? found
      : found
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}
