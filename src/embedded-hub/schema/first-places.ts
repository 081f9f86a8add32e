/** The index of the first occurrence of each value in a list: one pass instead of an `indexOf` for each item. */
export function firstPlaces<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const places = new Map<T, number>();
  for (const [index, value] of values.entries()) if (!places.has(value)) places.set(value, index);
  return places;
}
