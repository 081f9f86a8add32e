import { bucketOf } from "./memory-log.ts";
import type { StoreEvent } from "./store.ts";

export type WatchListener = (event: StoreEvent) => void;

/** Who follows which keys: a write finds its watchers by key, whatever others follow. A class for its index. */
export class Watchers {
  private readonly byPrefix = new Map<string, Set<{ readonly listener: WatchListener }>>();

  /** `prefix` is `/`, that of a kind, of a namespace, or a whole key. Returns the function that takes the listener away. */
  add(prefix: string, listener: WatchListener): () => void {
    const watcher = { listener };
    const others = this.byPrefix.get(prefix) ?? new Set<{ readonly listener: WatchListener }>();
    this.byPrefix.set(prefix, others.add(watcher));
    return () => {
      others.delete(watcher);
      if (others.size === 0 && this.byPrefix.get(prefix) === others) this.byPrefix.delete(prefix);
    };
  }

  *of(key: string): Iterable<WatchListener> {
    for (const prefix of [key, namespaceOf(key), bucketOf(key), "/"]) {
      for (const { listener } of this.byPrefix.get(prefix) ?? []) yield listener;
    }
  }

  clear(): void {
    this.byPrefix.clear();
  }
}

/** `/<group>/<plural>/<namespace or empty>/` of a key. */
function namespaceOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}
