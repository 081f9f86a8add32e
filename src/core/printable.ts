/**
 * Control characters, line ends, half characters, unusual blanks, and what is not seen or turns the direction of writing; also
 * the start of a command to the runner of a workflow (`##[...]`, `##vso[...]`), which takes it anywhere in a line. Emoji and some
 * scripts need joiners: they stay behind characters that are no ASCII.
 */
export const unprintable =
  /(?<=#)#(?=\w*\[)|[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]|(?!(?<=\P{ASCII})[\u200c\u200d\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/**
 * Text from outside as it may be sent to a terminal, a log or a reader of a plan: what is `unprintable` becomes `\u{...}`. Names
 * of files and objects come from people we do not know.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same of each line of a text: its line feeds stay. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
