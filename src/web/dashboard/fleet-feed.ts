/** Other answers that change as a whole. */
export type FeedPart = "fleet" | "repository" | "tokens";

/** What changed between two cursors. */
export interface FeedChanges {
  readonly clusters: ReadonlySet<string>;
  readonly parts: ReadonlySet<FeedPart>;
}

type Entry = { readonly cluster: string } | { readonly part: FeedPart };

const mostEntries = 20_000;

/**
 * The keys of changed objects, in order, without the changes: a follower asks what to read again since its cursor, so
 * that a slow reader costs nothing and gets the newest state. Bounded: a follower that is further behind reads
 * everything again.
 */
export class FleetFeed {
  readonly #id: string;
  #entries: Entry[] = [];
  /** Version of the first entry. */
  #firstVersion = 1;
  readonly #listeners = new Set<() => void>();

  /** `id` distinguishes this process' cursors from those of another. */
  constructor(id: string) {
    this.#id = id;
  }

  /** `workspace/name` of a cluster that was created, changed or deleted. */
  recordCluster(key: string): void {
    this.#record({ cluster: key });
  }

  recordPart(part: FeedPart): void {
    this.#record({ part });
  }

  /** The current position of the feed. */
  cursor(): string {
    return `${this.#id}.${this.#version()}`;
  }

  /** Undefined when the cursor is of another process, or too old. */
  since(cursor: string): FeedChanges | undefined {
    const [id, text = ""] = cursor.split(".");
    const version = Number(text);
    const isKnown = id === this.#id && /^\d+$/u.test(text);
    if (!isKnown || version < this.#firstVersion - 1 || version > this.#version()) return undefined;
    const clusters = new Set<string>();
    const parts = new Set<FeedPart>();
    for (const entry of this.#entries.slice(version - this.#firstVersion + 1)) {
      if ("cluster" in entry) clusters.add(entry.cluster);
      else parts.add(entry.part);
    }
    return { clusters, parts };
  }

  /** Calls `listener` after each change. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #version(): number {
    return this.#firstVersion + this.#entries.length - 1;
  }

  #record(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * mostEntries) {
      this.#firstVersion += mostEntries;
      this.#entries = this.#entries.slice(mostEntries);
    }
    for (const listener of this.#listeners) listener();
  }
}
