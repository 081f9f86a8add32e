/** `1 cluster`, `2 clusters`; the plural has an s unless it is given. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${oneOrMany(count, noun, plural)}`;
}

/** The form that agrees with a count: `oneOrMany(count, "is", "are")`. */
export function oneOrMany(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
