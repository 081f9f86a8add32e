/** The numbers at the start of a version: `v1.33.7+k3s1` gives 1, 33 and 7. Undefined when it starts with none. */
export function parseNumbers(text: string): readonly number[] | undefined {
  const found = /^v?(\d{1,9}(?:\.\d{1,9}){0,5})/u.exec(text)?.[1];
  return found?.split(".").map(Number);
}

/**
 * Compares as many numbers as `wanted` has: 1.33.7 and 1.33 are equal then, so that `version<=1.33` has each 1.33.x.
 * Negative: `found` is lower.
 */
export function compareNumbers(found: readonly number[], wanted: readonly number[]): number {
  for (const [index, number] of wanted.entries()) {
    const difference = (found[index] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  return 0;
}
