/** Sorts by UTF-16 code units: for order that is stored, hashed or compared by machines. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
