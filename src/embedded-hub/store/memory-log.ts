import { AppError } from "../../core/errors.ts";
import { SortedKeys } from "./sorted-keys.ts";
import type { StoredRecord } from "./stored-record.ts";
import type { StoreList, StoreListOptions } from "./store.ts";

/** A {@link StoreEvent} over records. */
export interface LogEvent {
  readonly kind: "put" | "delete";
  readonly revision: number;
  readonly current: StoredRecord;
  readonly previous?: StoredRecord;
}

interface Bucket {
  readonly keys: SortedKeys;
  readonly records: Map<string, StoredRecord>;
}

/** The durable state in memory: all current records, and every event after the compacted revision, without gaps. */
export class MemoryLog {
  private readonly buckets = new Map<string, Bucket>();
  private events: LogEvent[] = [];
  private liveAtCompaction = 0;
  private compacted = 0;

  get revision(): number {
    return this.compacted + this.events.length;
  }

  get compactedRevision(): number {
    return this.compacted;
  }

  /** How many objects were alive at the compacted revision. */
  get compactedCount(): number {
    return this.liveAtCompaction;
  }

  get eventCount(): number {
    return this.events.length;
  }

  /** Fills an empty log with what was alive at `revision`; events follow by {@link append}. */
  restore(revision: number, records: Iterable<StoredRecord>): void {
    this.compacted = revision;
    for (const record of records) {
      this.place(record);
      this.liveAtCompaction += 1;
    }
  }

  get(key: string): StoredRecord | undefined {
    return this.buckets.get(bucketOf(key))?.records.get(key);
  }

  append(event: LogEvent): void {
    if (event.revision !== this.revision + 1) {
      throw new AppError("E_BUG", `event ${event.revision} follows revision ${this.revision}`);
    }
    this.events.push(event);
    if (event.kind === "put") this.place(event.current);
    else this.remove(event.current.key);
  }

  /** The event that made `revision`. */
  eventAt(revision: number): LogEvent | undefined {
    return this.events[revision - this.compacted - 1];
  }

  /** Drops the events up to `revision` and returns them. */
  compact(revision: number): readonly LogEvent[] {
    const dropped = this.events.slice(0, revision - this.compacted);
    this.events = this.events.slice(dropped.length);
    this.compacted += dropped.length;
    for (const event of dropped) {
      if (event.kind === "delete") this.liveAtCompaction -= 1;
      else if (event.previous === undefined) this.liveAtCompaction += 1;
    }
    return dropped;
  }

  list(prefix: string, options: StoreListOptions = {}): StoreList {
    const atRevision = options.atRevision ?? this.revision;
    if (atRevision < this.compacted || atRevision > this.revision) {
      throw new AppError("E_KUBE_GONE", `revision ${atRevision} is not kept`, { data: { atRevision } });
    }
    const keys =
      atRevision === this.revision ? this.currentKeys(prefix) : new KeysAt(this.currentKeys(prefix), this, atRevision);
    const from = options.continueAfter === undefined ? 0 : keys.firstAfter(options.continueAfter);
    const to = options.limit === undefined ? keys.count : Math.min(keys.count, from + options.limit);
    const items: StoredRecord[] = [];
    for (let index = from; index < to; index += 1) {
      const record = keys.record(index);
      if (record !== undefined) items.push(record);
    }
    const last = items.at(-1);
    const remainingCount = keys.count - to;
    return {
      items,
      revision: atRevision,
      remainingCount,
      ...(remainingCount > 0 && last !== undefined ? { continueAfter: last.key } : {}),
    };
  }

  private currentKeys(prefix: string): KeyRange {
    if (prefix === "/") return new AllKeys([...this.buckets.values()]);
    return new BucketKeys(this.buckets.get(bucketOf(prefix)), prefix);
  }

  private place(record: StoredRecord): void {
    const name = bucketOf(record.key);
    let bucket = this.buckets.get(name);
    if (bucket === undefined) {
      bucket = { keys: new SortedKeys(), records: new Map() };
      this.buckets.set(name, bucket);
    }
    if (!bucket.records.has(record.key)) bucket.keys.add(record.key);
    bucket.records.set(record.key, record);
  }

  private remove(key: string): void {
    const bucket = this.buckets.get(bucketOf(key));
    bucket?.keys.remove(key);
    bucket?.records.delete(key);
  }
}

/** `/<group>/<plural>/` of a key or a longer prefix. */
export function bucketOf(key: string): string {
  const groupEnd = key.indexOf("/", 1);
  const pluralEnd = key.indexOf("/", groupEnd + 1);
  return groupEnd < 0 || pluralEnd < 0 ? key : key.slice(0, pluralEnd + 1);
}

/** Sorted keys under a prefix with their records. */
interface KeyRange {
  readonly prefix: string;
  readonly count: number;
  record(index: number): StoredRecord | undefined;
  firstAfter(key: string): number;
}

class BucketKeys implements KeyRange {
  readonly prefix: string;
  private readonly bucket: Bucket | undefined;
  private readonly from: number;
  readonly count: number;

  constructor(bucket: Bucket | undefined, prefix: string) {
    const range = bucket?.keys.range(prefix) ?? { from: 0, to: 0 };
    this.bucket = bucket;
    this.prefix = prefix;
    this.from = range.from;
    this.count = range.to - range.from;
  }

  record(index: number): StoredRecord | undefined {
    const key = this.bucket?.keys.at(this.from + index);
    return key === undefined ? undefined : this.bucket?.records.get(key);
  }

  firstAfter(key: string): number {
    if (this.bucket === undefined) return 0;
    const index = this.bucket.keys.firstAtLeast(key);
    const after = this.bucket.keys.at(index) === key ? index + 1 : index;
    return Math.max(0, Math.min(this.count, after - this.from));
  }
}

/** A snapshot in an array: for lists over everything and for the past, which are rare. */
class AllKeys implements KeyRange {
  readonly prefix = "/";
  private readonly records: readonly StoredRecord[];

  constructor(buckets: readonly Bucket[]) {
    this.records = buckets.flatMap((bucket) => [...bucket.records.values()]).sort(byKey);
  }

  get count(): number {
    return this.records.length;
  }

  record(index: number): StoredRecord | undefined {
    return this.records[index];
  }

  firstAfter(key: string): number {
    const index = this.records.findIndex((record) => record.key > key);
    return index < 0 ? this.count : index;
  }
}

/** The keys as they were at a revision: the current ones, with the events since then undone. */
class KeysAt implements KeyRange {
  readonly prefix: string;
  private readonly records: readonly StoredRecord[];

  constructor(now: KeyRange, log: MemoryLog, atRevision: number) {
    this.prefix = now.prefix;
    const then = new Map<string, StoredRecord | undefined>();
    for (let revision = atRevision + 1; revision <= log.revision; revision += 1) {
      const event = log.eventAt(revision);
      if (event === undefined || !event.current.key.startsWith(now.prefix) || then.has(event.current.key)) continue;
      then.set(event.current.key, event.previous);
    }
    const records: StoredRecord[] = [];
    for (let index = 0; index < now.count; index += 1) {
      const record = now.record(index);
      if (record !== undefined && !then.has(record.key)) records.push(record);
    }
    for (const record of then.values()) if (record !== undefined) records.push(record);
    this.records = then.size === 0 ? records : records.sort(byKey);
  }

  get count(): number {
    return this.records.length;
  }

  record(index: number): StoredRecord | undefined {
    return this.records[index];
  }

  firstAfter(key: string): number {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.records[middle]?.key ?? "") <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function byKey(a: StoredRecord, b: StoredRecord): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
