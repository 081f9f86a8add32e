/**
 * Text from outside as it may go to a terminal or a log: control characters, line ends and marks that turn the direction
 * of writing become `\u{...}`. Names of files and objects come from people we do not know.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
