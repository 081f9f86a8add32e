const unsafe = /(?<=#)#(?=\w*\[)|[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Text from outside as it may be sent to a terminal or a log: control characters, line ends and marks that turn the direction
 * of writing become `\u{...}`, and so does the start of a command to the runner of a workflow (`##[...]`, `##vso[...]`), which
 * takes it anywhere in a line. Names of files and objects come from people we do not know.
 */
export function printable(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same of each line of a text: its line feeds stay. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
