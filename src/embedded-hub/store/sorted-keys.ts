/** A sorted list of distinct texts. Insertion costs a binary search and a move of pointers. */
export class SortedKeys {
  private readonly keys: string[];

  constructor(sorted: string[] = []) {
    this.keys = sorted;
  }

  get size(): number {
    return this.keys.length;
  }

  at(index: number): string | undefined {
    return this.keys[index];
  }

  all(): readonly string[] {
    return this.keys;
  }

  add(key: string): void {
    const index = this.firstAtLeast(key);
    if (this.keys[index] !== key) this.keys.splice(index, 0, key);
  }

  remove(key: string): void {
    const index = this.firstAtLeast(key);
    if (this.keys[index] === key) this.keys.splice(index, 1);
  }

  /** The index of the first key that is not before `key`. */
  firstAtLeast(key: string): number {
    const last = this.keys.at(-1);
    if (last === undefined || last < key) return this.keys.length;
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The index of the first key that is after `key`. */
  firstAfter(key: string): number {
    const index = this.firstAtLeast(key);
    return this.keys[index] === key ? index + 1 : index;
  }

  /** Those below a prefix that ends with a slash; any other text is one key. */
  rangeBelow(prefixOrKey: string): { readonly from: number; readonly to: number } {
    if (prefixOrKey.endsWith("/")) return this.range(prefixOrKey);
    return { from: this.firstAtLeast(prefixOrKey), to: this.firstAfter(prefixOrKey) };
  }

  /** Indexes [from, to) of the keys that start with `prefix`. */
  range(prefix: string): { readonly from: number; readonly to: number } {
    const from = this.firstAtLeast(prefix);
    let [to, high] = [from, this.keys.length];
    // No text is after all that start with the prefix: a name may begin with any character.
    while (to < high) {
      const middle = (to + high) >>> 1;
      if (this.keys[middle]?.startsWith(prefix) === true) to = middle + 1;
      else high = middle;
    }
    return { from, to };
  }
}
