import { BoundedCache } from "../../core/bounded-cache.ts";

/** Contents that were unpacked most recently, for what builds on them. */
export interface ContentCache<Key, Value = Buffer> {
  get(key: Key): Value | undefined;
  set(key: Key, content: Value): void;
}

/**
 * Holds at most `maximumBytes`; the one that was not used for longest is removed first, and a larger one is not kept.
 * `sizeOf`: bytes of one.
 */
export function makeContentCache<Key, Value = Buffer>(
  maximumBytes: number,
  sizeOf: (value: Value) => number,
): ContentCache<Key, Value>;
export function makeContentCache<Key>(maximumBytes: number): ContentCache<Key>;
export function makeContentCache<Key, Value extends { readonly length: number }>(
  maximumBytes: number,
  sizeOf: (value: Value) => number = ({ length }) => length,
): ContentCache<Key, Value> {
  const contents = new BoundedCache<Key, Value>({ limit: maximumBytes, weightOf: sizeOf });
  return {
    get: (key) => contents.get(key),
    set: (key, content) => (sizeOf(content) > maximumBytes ? contents.delete(key) : contents.set(key, content)),
  };
}
