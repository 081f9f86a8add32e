/** The largest of the numbers and `atLeast` (default: -Infinity); `Math.max(...items)` throws above about 100,000 items. */
export function largestOf(items: Iterable<number>, atLeast = -Infinity): number {
  let largest = atLeast;
  for (const item of items) largest = Math.max(largest, item);
  return largest;
}

/** The smallest of the numbers and `atMost` (default: Infinity); `Math.min(...items)` throws above about 100,000 items. */
export function smallestOf(items: Iterable<number>, atMost = Infinity): number {
  let smallest = atMost;
  for (const item of items) smallest = Math.min(smallest, item);
  return smallest;
}
