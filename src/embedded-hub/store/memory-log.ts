import { AppError } from "../../core/errors.ts";
import type { LogEvent } from "./event-log.ts";
import { EventLog } from "./event-log.ts";
import type { PastKeys } from "./past-page.ts";
import { readPastPage, recordAt } from "./past-page.ts";
import { SortedKeys } from "./sorted-keys.ts";
import type { StoredRecord } from "./stored-record.ts";
import { createParsedHolder } from "./stored-record.ts";
import type { StoreList, StoreListOptions } from "./store.ts";

/** At most `limit` events after a revision. */
export interface EventRange {
  readonly afterRevision: number;
  readonly limit: number;
}

interface Bucket {
  readonly keys: SortedKeys;
  /** Of objects that were deleted after the compacted revision. */
  readonly deletedKeys: SortedKeys;
  readonly records: Map<string, StoredRecord>;
}

/** How long the texts of objects that are kept parsed may be together; parsed they take some three times as much. */
const parsedBytes = 64 * 1024 * 1024;

/** The durable state in memory: all current records, and every event after the compacted revision, without gaps. */
export class MemoryLog {
  private readonly buckets = new Map<string, Bucket>();
  private readonly events = new EventLog();
  private readonly parsed = createParsedHolder(parsedBytes);
  private liveAtCompaction = 0;

  get revision(): number {
    return this.events.revision;
  }

  get compactedRevision(): number {
    return this.events.compactedRevision;
  }

  /** How many objects were alive at the compacted revision. */
  get compactedCount(): number {
    return this.liveAtCompaction;
  }

  /** How long the texts of all kept events are together. */
  get historyBytes(): number {
    return this.events.sizeBytes;
  }

  /** Fills an empty log with what was alive at `revision`; events follow by {@link append}. */
  restore(revision: number, records: Iterable<StoredRecord>): void {
    this.events.restore(revision);
    for (const record of records) {
      this.place(record);
      this.liveAtCompaction += 1;
    }
  }

  get(key: string): StoredRecord | undefined {
    return this.buckets.get(bucketOf(key))?.records.get(key);
  }

  append(event: LogEvent): void {
    this.events.append(event);
    if (event.kind === "put") this.place(event.current);
    else this.remove(event.current.key);
  }

  /** Drops the events up to `revision` and returns them. */
  compact(revision: number): readonly LogEvent[] {
    const dropped = this.events.compact(revision, (key) => this.buckets.get(bucketOf(key))?.deletedKeys.remove(key));
    for (const event of dropped) {
      if (event.kind === "delete") this.liveAtCompaction -= 1;
      else if (event.previous === undefined) this.liveAtCompaction += 1;
    }
    return dropped;
  }

  /** Reports the events of `prefix` among those visited: all, or only those of one key. Returns the revision that it reached. */
  visitEvents(prefix: string, range: EventRange, visit: (event: LogEvent) => void): number {
    if (!prefix.endsWith("/")) return this.visitEventsOfKey(prefix, range, visit);
    const last = Math.min(this.revision, range.afterRevision + range.limit);
    for (let revision = range.afterRevision + 1; revision <= last; revision += 1) {
      const event = this.events.at(revision);
      if (event?.current.key.startsWith(prefix)) visit(event);
    }
    return Math.max(last, range.afterRevision);
  }

  private visitEventsOfKey(key: string, range: EventRange, visit: (event: LogEvent) => void): number {
    const found: LogEvent[] = [];
    let event = this.events.newestOf(key, this.get(key));
    for (; event !== undefined && event.revision > range.afterRevision; event = this.events.before(event)) {
      found.push(event);
    }
    const page = found.reverse().slice(0, range.limit);
    for (const one of page) visit(one);
    const last = page.length < found.length ? page.at(-1)?.revision : undefined;
    return last ?? Math.max(this.revision, range.afterRevision);
  }

  list(prefix: string, options: StoreListOptions = {}): StoreList {
    const atRevision = options.atRevision ?? this.revision;
    if (atRevision < this.compactedRevision || atRevision > this.revision) {
      throw new AppError("E_KUBE_GONE", `revision ${atRevision} is not kept`, { data: { atRevision } });
    }
    if (atRevision < this.revision) return readPastPage(this.pastKeys(prefix), prefix, { ...options, atRevision });
    const keys = this.currentKeys(prefix);
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

  private pastKeys(prefix: string): PastKeys {
    const ofKind = this.buckets.get(bucketOf(prefix));
    const buckets = prefix === "/" ? [...this.buckets.values()] : ofKind === undefined ? [] : [ofKind];
    const joined = (keysOf: (bucket: Bucket) => SortedKeys): SortedKeys =>
      ofKind !== undefined ? keysOf(ofKind) : new SortedKeys(buckets.flatMap((bucket) => keysOf(bucket).all()).sort());
    return {
      live: joined(({ keys }) => keys),
      deleted: joined(({ deletedKeys }) => deletedKeys),
      readAt: (key, revision) => recordAt(this.events, key, { live: this.get(key), revision }),
    };
  }

  private currentKeys(prefix: string): KeyRange {
    if (prefix === "/") return new AllKeys([...this.buckets.values()]);
    return new BucketKeys(this.buckets.get(bucketOf(prefix)), prefix);
  }

  private place(record: StoredRecord): void {
    record.holdBy(this.parsed);
    const name = bucketOf(record.key);
    let bucket = this.buckets.get(name);
    if (bucket === undefined) {
      bucket = { keys: new SortedKeys(), deletedKeys: new SortedKeys(), records: new Map() };
      this.buckets.set(name, bucket);
    }
    if (!bucket.records.has(record.key)) {
      bucket.keys.add(record.key);
      bucket.deletedKeys.remove(record.key);
    }
    bucket.records.set(record.key, record);
  }

  private remove(key: string): void {
    const bucket = this.buckets.get(bucketOf(key));
    if (bucket?.records.delete(key) !== true) return;
    bucket.keys.remove(key);
    bucket.deletedKeys.add(key);
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
    const range = bucket?.keys.rangeBelow(prefix) ?? { from: 0, to: 0 };
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
    return Math.max(0, Math.min(this.count, this.bucket.keys.firstAfter(key) - this.from));
  }
}

/** A snapshot in an array: for lists over everything, which are rare. */
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

function byKey(a: StoredRecord, b: StoredRecord): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
