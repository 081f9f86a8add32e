/**
 * Appends items to a list. `target.push(...items)` puts each item on the stack: above about 100,000 items it throws a
 * RangeError.
 */
export function appendAll<T>(target: T[], items: Iterable<T>): void {
  for (const item of items) target.push(item);
}
