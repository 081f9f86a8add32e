/** A text as one word of a POSIX shell, for a command that a person copies; quoted only where it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
