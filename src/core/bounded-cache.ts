export interface CacheBounds<V> {
  /** How much all values may weigh together. */
  readonly limit: number;
  /** Default 1 each: then `limit` is how many there may be. */
  readonly weightOf?: (value: V) => number;
  /** Gets each value that has to give way. */
  readonly onEvicted?: (value: V) => void;
}

/** Values by key; those that were not used for longest give way. A class for its entries. */
export class BoundedCache<K, V> {
  private readonly bounds: CacheBounds<V>;
  private readonly entries = new Map<K, V>();
  private weight = 0;

  constructor(bounds: CacheBounds<V>) {
    this.bounds = bounds;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  /** Keeps the value, even one that is heavier than the limit, until another one is added. */
  set(key: K, value: V): void {
    this.delete(key);
    this.entries.set(key, value);
    this.weight += this.weightOf(value);
    for (const [oldestKey, oldest] of this.entries) {
      if (this.weight <= this.bounds.limit || oldestKey === key) return;
      this.delete(oldestKey);
      this.bounds.onEvicted?.(oldest);
    }
  }

  delete(key: K): void {
    const value = this.entries.get(key);
    if (value === undefined) return;
    this.entries.delete(key);
    this.weight -= this.weightOf(value);
  }

  private weightOf(value: V): number {
    return this.bounds.weightOf?.(value) ?? 1;
  }
}
