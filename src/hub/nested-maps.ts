/** Takes a key out of the set or map of an owner; an empty one is removed. */
export function removeFrom<V extends Set<string> | Map<string, unknown>>(
  map: Map<string, V>,
  owner: string,
  key: string,
): void {
  const keys = map.get(owner);
  keys?.delete(key);
  if (keys?.size === 0) map.delete(owner);
}

/** The inner map of a key, made when it is not there. */
export function mapOf<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const inner = map.get(key) ?? new Map<L, V>();
  map.set(key, inner);
  return inner;
}

/** The set of a key, made when it is not there. */
export function setOf<K>(map: Map<K, Set<string>>, key: K): Set<string> {
  const existing = map.get(key);
  if (existing) return existing;
  const made = new Set<string>();
  map.set(key, made);
  return made;
}
