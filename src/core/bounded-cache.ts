export interface CacheBounds<V> {
  /** How much all values may weigh together. */
  readonly limit: number;
  /** Default 1 each: then `limit` is how many there may be. */
  readonly weightOf?: (value: V) => number;
  /** Gets each value that has to give way. */
  readonly onEvicted?: (value: V) => void;
}

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  /** The entries that were used just before and just after this one. */
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/**
 * Values by key; those that were not used for longest give way, in constant time. A class for its entries. Their order is a
 * list of their own: a Map that loses its first keys passes over their places each time that it is read from the beginning.
 */
export class BoundedCache<K, V> {
  private readonly bounds: CacheBounds<V>;
  private readonly entries = new Map<K, Entry<K, V>>();
  private oldest: Entry<K, V> | undefined;
  private newest: Entry<K, V> | undefined;
  private weight = 0;

  constructor(bounds: CacheBounds<V>) {
    this.bounds = bounds;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.newest) {
      this.unlink(entry);
      this.linkAsNewest(entry);
    }
    return entry.value;
  }

  /** Keeps the value, even one that is heavier than the limit, until another one is added. */
  set(key: K, value: V): void {
    this.delete(key);
    const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
    this.entries.set(key, entry);
    this.linkAsNewest(entry);
    this.weight += this.weightOf(value);
    for (let { oldest } = this; this.weight > this.bounds.limit && oldest !== undefined; { oldest } = this) {
      if (oldest === entry) return;
      this.delete(oldest.key);
      this.bounds.onEvicted?.(oldest.value);
    }
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.unlink(entry);
    this.weight -= this.weightOf(entry.value);
  }

  private linkAsNewest(entry: Entry<K, V>): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
  }

  private unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
  }

  private weightOf(value: V): number {
    return this.bounds.weightOf?.(value) ?? 1;
  }
}
