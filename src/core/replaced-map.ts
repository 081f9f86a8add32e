/** A map with so many replaced values is copied: a lookup stays a matter of two maps. */
const mostReplaced = 1000;

/**
 * The map with other values for keys that it has, in the same order. Its cost follows what is replaced: the map itself is shared,
 * and must not change any more.
 */
export function withReplaced<K, V>(map: ReadonlyMap<K, V>, replaced: ReadonlyMap<K, V>): ReadonlyMap<K, V> {
  if (replaced.size === 0) return map;
  const [base, before]: readonly [ReadonlyMap<K, V>, ReadonlyMap<K, V>] =
    map instanceof ReplacedMap ? (map as ReplacedMap<K, V>).parts() : [map, new Map<K, V>()];
  const all = new Map([...before, ...replaced]);
  const made = new ReplacedMap(base, all);
  return all.size > mostReplaced ? new Map(made) : made;
}

class ReplacedMap<K, V> implements ReadonlyMap<K, V> {
  readonly #base: ReadonlyMap<K, V>;
  readonly #replaced: ReadonlyMap<K, V>;

  constructor(base: ReadonlyMap<K, V>, replaced: ReadonlyMap<K, V>) {
    this.#base = base;
    this.#replaced = replaced;
  }

  parts(): readonly [ReadonlyMap<K, V>, ReadonlyMap<K, V>] {
    return [this.#base, this.#replaced];
  }

  get size(): number {
    return this.#base.size;
  }

  has(key: K): boolean {
    return this.#base.has(key);
  }

  get(key: K): V | undefined {
    return this.#replaced.has(key) ? this.#replaced.get(key) : this.#base.get(key);
  }

  *entries(): MapIterator<[K, V]> {
    for (const [key, value] of this.#base)
      yield [key, this.#replaced.has(key) ? (this.#replaced.get(key) as V) : value];
  }

  keys(): MapIterator<K> {
    return this.#base.keys();
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}
