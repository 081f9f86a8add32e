/** `1 cluster`, `2 clusters`; the noun takes an s. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
