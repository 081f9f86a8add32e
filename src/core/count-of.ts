/** `1 cluster`, `2 clusters`; the plural has an s unless it is given. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${oneOrMany(count, noun, plural)}`;
}

/** The form that agrees with a count: `oneOrMany(count, "is", "are")`. */
export function oneOrMany(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** `a, b and 3 more`: the first `most` names in one line, as `show` makes them. */
export function nameSome(names: readonly string[], most: number, show = (name: string): string => name): string {
  const rest = names.length - most;
  return `${names
    .slice(0, most)
    .map((name) => show(name))
    .join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
