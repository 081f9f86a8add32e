/**
 * How many costly parts an RE2 pattern has that ignores case: each range of characters beyond ASCII is folded character by
 * character, a million of them in some milliseconds. A class like `\pL` counts too. 0 for a pattern that respects case.
 */
export function foldedRanges(pattern: string): number {
  if (!/\(\?[a-zA-Z]*i/u.test(pattern)) return 0;
  return pattern.match(/\\[xpP]|[^\0-\x7f]/gu)?.length ?? 0;
}

/** A text between \Q and \E, an escape, a class, a repetition, or one character. */
const parts =
  /\\Q(?<quoted>[^]*?)(?:\\E|$)|\\x\{[0-9A-Fa-f]*\}|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?[a-z]+:\]|[^\]\\])*\]?|\{(?<least>\d+)(?:,(?<most>\d*))?\}|[^]/gu;

/**
 * About how many instructions the program of an RE2 pattern has: each part as often as it is repeated. What compiling it
 * takes grows with that, about a microsecond each.
 */
export function programSizeOf(pattern: string): number {
  const groups = [0];
  let last = 0;
  const add = (size: number): void => void groups.push((groups.pop() ?? 0) + size);
  for (const { 0: part, groups: { quoted, least, most } = {} } of pattern.matchAll(parts)) {
    if (least !== undefined) {
      const added = last * (Math.max(Number(least) + 1, Number(most ?? 0)) - 1);
      add(added);
      last += added;
    } else if (part === "(") {
      groups.push(1);
    } else if (part === ")" && groups.length > 1) {
      last = groups.pop() ?? 0;
      add(last);
    } else if (!"*+?".includes(part)) {
      last = 1;
      add(quoted?.length ?? 1);
    }
  }
  return groups.reduce((sum, size) => sum + size, 2);
}
