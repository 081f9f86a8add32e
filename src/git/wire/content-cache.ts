/** Contents that were unpacked most recently, for what builds on them. */
export interface ContentCache<Key, Value = Buffer> {
  get(key: Key): Value | undefined;
  set(key: Key, content: Value): void;
}

/** Holds at most `maximumBytes`; the one that was not used for longest is removed first. `sizeOf`: bytes of one. */
export function makeContentCache<Key, Value = Buffer>(
  maximumBytes: number,
  sizeOf: (value: Value) => number,
): ContentCache<Key, Value>;
export function makeContentCache<Key>(maximumBytes: number): ContentCache<Key>;
export function makeContentCache<Key, Value extends { readonly length: number }>(
  maximumBytes: number,
  sizeOf: (value: Value) => number = ({ length }) => length,
): ContentCache<Key, Value> {
  const contents = new Map<Key, Value>();
  let heldBytes = 0;
  return {
    get: (key) => {
      const content = contents.get(key);
      if (!content) return undefined;
      contents.delete(key);
      contents.set(key, content);
      return content;
    },
    set: (key, content) => {
      const former = contents.get(key);
      if (former) heldBytes -= sizeOf(former);
      contents.delete(key);
      contents.set(key, content);
      heldBytes += sizeOf(content);
      for (const [oldest, value] of contents) {
        if (heldBytes <= maximumBytes) return;
        contents.delete(oldest);
        heldBytes -= sizeOf(value);
      }
    },
  };
}
