import type { Repository } from "../model/generated/repository.ts";

/** A Repository object that is followed on the hub, for one that works with it. */
export interface RepositorySource {
  read(): Repository | undefined;
  /** Takes in an own write. */
  record(written: Repository): Repository;
  /** Calls `listener` when another writer changed spec or annotations. */
  onChange(listener: () => void): void;
  /** Calls `listener` whenever there is a newer version, own writes included. */
  onNews(listener: () => void): void;
  stop(): Promise<void>;
}

interface Listeners {
  readonly change: (() => void)[];
  readonly news: (() => void)[];
}

/** What is known of one Repository object: what a watch has brought, or an own write that is newer. */
export class KnownRepository {
  #latest: Repository | undefined;
  /** Of the object that was deleted last. */
  #deletedUid: string | undefined;
  #writeCount = 0;
  readonly #listeners = new Set<Listeners>();

  read(): Repository | undefined {
    return this.#latest;
  }

  /**
   * Takes in what the watch has brought; undefined: it was deleted. Returns whether another writer changed spec or annotations,
   * made it or deleted it.
   */
  see(seen: Repository | undefined): boolean {
    return this.#isOlder(seen) ? false : this.#accept(seen);
  }

  /**
   * Call it when a list is asked for, and what it returns with what the list has: a list that was asked for after the last own
   * write shows it, or the hub is an older copy that lost it. Returns the same as {@link see}.
   */
  beginListing(): (listed: Repository | undefined) => boolean {
    const count = this.#writeCount;
    return (listed) => count === this.#writeCount && this.#isOlder(listed) && this.#accept(listed);
  }

  /** Until its `stop` it calls its listeners. */
  open(): RepositorySource {
    const listeners: Listeners = { change: [], news: [] };
    this.#listeners.add(listeners);
    return {
      read: () => this.#latest,
      record: (written) => this.#record(written),
      onChange: (listener) => void listeners.change.push(listener),
      onNews: (listener) => void listeners.news.push(listener),
      stop: async () => void this.#listeners.delete(listeners),
    };
  }

  #record(written: Repository): Repository {
    this.#writeCount += 1;
    if (this.#latest && this.#isOlder(written)) return this.#latest;
    // The write was done before the deletion, and is answered after it was seen.
    const { uid } = written.metadata;
    if (!this.#latest && uid !== undefined && uid === this.#deletedUid) return written;
    this.#take(written);
    return written;
  }

  #accept(seen: Repository | undefined): boolean {
    const isChange = isChangeOfOthers(this.#latest, seen);
    this.#take(seen);
    if (isChange) this.#call("change");
    return isChange;
  }

  #take(newest: Repository | undefined): void {
    if (newest === undefined) this.#deletedUid = this.#latest?.metadata.uid ?? this.#deletedUid;
    this.#latest = newest;
    this.#call("news");
  }

  #call(kind: keyof Listeners): void {
    for (const listeners of this.#listeners) for (const listener of listeners[kind]) listener();
  }

  #isOlder(other: Repository | undefined): boolean {
    return other !== undefined && this.#latest !== undefined && versionOf(other) < versionOf(this.#latest);
  }
}

/** Whether spec or annotations differ, which this program does not write: it writes the status. */
function isChangeOfOthers(before: Repository | undefined, seen: Repository | undefined): boolean {
  return (
    seen?.metadata.generation !== before?.metadata.generation ||
    JSON.stringify(seen?.metadata.annotations) !== JSON.stringify(before?.metadata.annotations)
  );
}

function versionOf({ metadata }: Repository): bigint {
  return BigInt(metadata.resourceVersion ?? "0");
}
