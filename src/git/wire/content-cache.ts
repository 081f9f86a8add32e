/** Contents that were unpacked most recently, for what builds on them. */
export interface ContentCache<Key> {
  get(key: Key): Buffer | undefined;
  set(key: Key, content: Buffer): void;
}

/** Holds at most `maximumBytes`; the one that was not used for longest goes first. */
export function makeContentCache<Key>(maximumBytes: number): ContentCache<Key> {
  const contents = new Map<Key, Buffer>();
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
      contents.set(key, content);
      heldBytes += content.length;
      for (const [oldest, { length }] of contents) {
        if (heldBytes <= maximumBytes) return;
        contents.delete(oldest);
        heldBytes -= length;
      }
    },
  };
}
