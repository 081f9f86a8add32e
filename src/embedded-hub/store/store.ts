// store: the revisioned log of the embedded hub. Every write gets the next revision of one counter; reads come from
// memory; a write is answered only when it is on disk. The port follows what kine asks of a back-end.
import type { KubeObject } from "../../model/kubernetes.ts";

export interface StoredObject {
  /** `/<group>/<plural>/<namespace or empty>/<name>`. */
  readonly key: string;
  /** Frozen, with metadata.resourceVersion; parsed when it is first asked for. Callers copy before they change it. */
  readonly object: KubeObject;
  /** The JSON text of `object` in UTF-8, shared by all readers. */
  readonly json: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
}

export interface StoreEvent {
  readonly kind: "put" | "delete";
  readonly revision: number;
  /** Of a delete: the object as it was last, with the revision of the delete as its version. */
  readonly current: StoredObject;
  /** Absent when the put created the object. */
  readonly previous?: StoredObject;
}

export interface StoreList {
  readonly items: readonly StoredObject[];
  /** The revision the list is true at. */
  readonly revision: number;
  /** Set when more follow: the key to continue after. */
  readonly continueAfter?: string;
  /** How many follow; 1 or 0 when they were not to be counted. */
  readonly remainingCount: number;
}

export interface StoreListOptions {
  /** Default: now. */
  readonly atRevision?: number;
  readonly limit?: number;
  /** Only keys after this one. */
  readonly continueAfter?: string;
  /** Default true. A page of the past costs what is on it when this is false. */
  readonly countsRemaining?: boolean;
}

/** Reads show what is durable. Writes are checked against what was written before them, durable or not. */
export interface Store {
  /** The newest durable revision. */
  readonly revision: number;
  /** Lists and watches can start from this revision and later ones. */
  readonly compactedRevision: number;
  /** How long the texts of all kept events are together. */
  readonly historyBytes: number;
  /** A write failed: there are no more writes until the disk takes them again. */
  readonly isBroken: boolean;
  get(key: string): StoredObject | undefined;
  /** The object as the next write will find it: a write that is not durable yet counts. */
  getForWrite(key: string): StoredObject | undefined;
  /** Resolves when what getForWrite shows now is durable. Rejects with E_STORE_DAMAGED when that write failed. */
  whenDurable(key: string): Promise<void>;
  /**
   * Objects whose key starts with `prefix`, which ends with a slash or is one key, sorted by key, as they were at
   * `atRevision` (default now). Throws E_KUBE_GONE when that revision is compacted.
   */
  list(prefix: string, options?: StoreListOptions): StoreList;
  /**
   * Writes when the object's modRevision is still `expected` (0: must not exist). metadata.resourceVersion becomes the
   * revision of the write. Undefined means: precondition failed. Resolves when the write is durable.
   * @throws E_KUBE_INVALID for an object whose text has more than 4,000,000 bytes
   */
  put(key: string, object: KubeObject, expected: number): Promise<StoredObject | undefined>;
  /** Deletes under the same precondition. Resolves with the object as it was last, at the revision of the delete. */
  delete(key: string, expected: number): Promise<StoredObject | undefined>;
  /**
   * Calls `listener` with every event after `afterRevision` for keys that start with `prefix`, in order, without gaps,
   * first those of the past, then live ones, only once they are durable. Throws E_KUBE_GONE when `afterRevision` is
   * compacted. Returns the function that ends it.
   */
  watch(prefix: string, afterRevision: number, listener: (event: StoreEvent) => void): () => void;
  /**
   * Those of the past among them, of at most `limit` that it visits: of one key it visits no others. Returns the revision up
   * to which they were reported. Throws as `watch` does.
   */
  replay(
    prefix: string,
    range: { readonly afterRevision: number; readonly limit: number },
    listener: (event: StoreEvent) => void,
  ): number;
  /** Forgets history up to `revision`; what is current stays. */
  compact(revision: number): Promise<void>;
  /** Waits for the writes under way. */
  close(): Promise<void>;
}
