/**
 * How many costly parts an RE2 pattern has that ignores case: each range of characters beyond ASCII is folded character by
 * character, a million of them in some milliseconds. A class like `\pL` counts too. 0 for a pattern that respects case.
 */
export function foldedRanges(pattern: string): number {
  if (!/\(\?[a-zA-Z]*i/u.test(pattern)) return 0;
  return pattern.match(/\\[xpP]|[^\0-\x7f]/gu)?.length ?? 0;
}
