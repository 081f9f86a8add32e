import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { sleepFor } from "../../core/timer.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { LogEvent } from "./event-log.ts";
import { MemoryLog } from "./memory-log.ts";
import type { CompactionRows, Persistence } from "./persistence.ts";
import type { Row } from "./row-format.ts";
import type { Store, StoreList, StoreListOptions } from "./store.ts";
import type { StoredRecord } from "./stored-record.ts";
import { makeRecord } from "./stored-record.ts";
import type { WatchListener } from "./watchers.ts";
import { Watchers } from "./watchers.ts";

export interface OpenStoreOptions {
  readonly persistence: Persistence;
  /** Receives the error when a watcher throws; the others continue. */
  readonly log: Log;
}

/** Loads what the persistence has, or closes it. Throws E_STORE_DAMAGED when it is not what was written. */
export async function openStore({ persistence, log }: OpenStoreOptions): Promise<Store> {
  const memory = new MemoryLog();
  try {
    await loadMemory(memory, persistence);
  } catch (error) {
    await persistence.close(undefined);
    throw error;
  }
  return new LogStore(memory, persistence, log);
}

/**
 * Of the text of one object. Patches could make it larger than any body, and clients that bound what they read of a watch see
 * nothing of all others behind it.
 */
export const largestObjectBytes = 4_000_000;
/** With managed fields: what etcd takes in one request. A larger object loses them, as kube-apiserver has it lose them. */
const largestManagedBytes = 1_572_864;
/** Between two tries to write again after a write failed. */
const recoveryPauseMs = 1000;

interface QueuedWrite {
  readonly event: LogEvent;
  readonly resolve: (record: StoredRecord) => void;
  readonly reject: (error: unknown) => void;
}

interface PendingWrite {
  readonly revision: number;
  readonly record: StoredRecord | undefined;
  /** Settles with the write. */
  readonly written: Promise<StoredRecord>;
}

interface QueuedCompaction {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Many writes share one trip to the disk: those that arrive during one are written together in the next. */
class LogStore implements Store {
  private readonly memory: MemoryLog;
  private readonly persistence: Persistence;
  private readonly log: Log;
  /** Newest write of each key that is not durable yet; undefined is a delete. */
  private readonly pending = new Map<string, PendingWrite>();
  private readonly watchers = new Watchers();
  private queue: QueuedWrite[] = [];
  private compactions: QueuedCompaction[] = [];
  private flushing: Promise<void> | undefined;
  private lastRevision: number;
  private broken: AppError | undefined;
  /** What is on memory's side of a compaction that failed on disk. */
  private unfinished: CompactionRows | undefined;
  private readonly closing = new AbortController();
  private recovering = Promise.resolve();
  private isClosed = false;

  constructor(memory: MemoryLog, persistence: Persistence, log: Log) {
    this.memory = memory;
    this.persistence = persistence;
    this.log = log;
    this.lastRevision = memory.revision;
  }

  get revision(): number {
    return this.memory.revision;
  }

  get compactedRevision(): number {
    return this.memory.compactedRevision;
  }

  get historyBytes(): number {
    return this.memory.historyBytes;
  }

  get isBroken(): boolean {
    return this.broken !== undefined;
  }

  get(key: string): StoredRecord | undefined {
    return this.memory.get(key);
  }

  getForWrite(key: string): StoredRecord | undefined {
    const pending = this.pending.get(key);
    return pending === undefined ? this.memory.get(key) : pending.record;
  }

  async whenDurable(key: string): Promise<void> {
    await this.pending.get(key)?.written;
  }

  list(prefix: string, options?: StoreListOptions): StoreList {
    return this.memory.list(prefix, options);
  }

  async put(key: string, object: KubeObject, expected: number): Promise<StoredRecord | undefined> {
    const previous = this.getForWrite(key);
    if ((previous?.modRevision ?? 0) !== expected) return undefined;
    const coming = this.lastRevision + 1;
    const current = recordOf(key, object, { create: previous?.createRevision ?? coming, mod: coming });
    const sizeBytes = Buffer.byteLength(current.json);
    if (sizeBytes > largestObjectBytes) {
      const data = { sizeBytes };
      throw new AppError("E_KUBE_INVALID", `the object has more than ${largestObjectBytes} bytes`, { data });
    }
    const revision = this.nextRevision();
    return this.write({ kind: "put", revision, current, ...(previous === undefined ? {} : { previous }) });
  }

  async delete(key: string, expected: number): Promise<StoredRecord | undefined> {
    const previous = this.getForWrite(key);
    if (previous === undefined || previous.modRevision !== expected) return undefined;
    const revision = this.nextRevision();
    const current = makeRecord(key, previous.object, { create: previous.createRevision, mod: revision });
    return this.write({ kind: "delete", revision, current, previous });
  }

  watch(prefix: string, afterRevision: number, listener: WatchListener): () => void {
    this.replay(prefix, { afterRevision, limit: Infinity }, listener);
    return this.watchers.add(prefix, listener);
  }

  replay(
    prefix: string,
    { afterRevision, limit }: { readonly afterRevision: number; readonly limit: number },
    listener: WatchListener,
  ): number {
    if (afterRevision < this.compactedRevision) {
      throw new AppError("E_KUBE_GONE", `revision ${afterRevision} is compacted`, { data: { afterRevision } });
    }
    return this.memory.visitEvents(prefix, { afterRevision, limit }, listener);
  }

  compact(revision: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.broken !== undefined) {
        reject(this.broken);
        return;
      }
      this.compactions.push({ revision, resolve, reject });
      if (this.flushing === undefined) this.flushNext();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.closing.abort();
    await this.recovering;
    while (this.flushing !== undefined) await this.flushing;
    this.watchers.clear();
    await this.persistence.close(this.isBroken ? undefined : this.memory.revision);
  }

  private nextRevision(): number {
    if (this.broken !== undefined) throw this.broken;
    if (this.isClosed) throw new AppError("E_KUBE_SERVER", "the hub's store is closed");
    this.lastRevision += 1;
    return this.lastRevision;
  }

  private write(event: LogEvent): Promise<StoredRecord> {
    const record = event.kind === "put" ? event.current : undefined;
    const written = new Promise<StoredRecord>((resolve, reject) => {
      this.queue.push({ event, resolve, reject });
    });
    this.pending.set(event.current.key, { revision: event.revision, record, written });
    if (this.flushing === undefined) this.flushNext();
    return written;
  }

  private flushNext(): void {
    const compaction = this.compactions.shift();
    this.flushing = compaction === undefined ? this.flushWrites() : this.flushCompaction(compaction);
  }

  private async flushWrites(): Promise<void> {
    const batch = this.queue;
    this.queue = [];
    try {
      await this.persistence.append(batch.map(({ event }) => rowOf(event)));
    } catch (error) {
      const failure = this.breakDown(error);
      for (const { reject } of batch) reject(failure);
      return;
    }
    for (const write of batch) this.settle(write);
    this.flushed();
  }

  private async flushCompaction({ revision, resolve, reject }: QueuedCompaction): Promise<void> {
    const dropped = this.memory.compact(Math.min(revision, this.memory.revision));
    const obsolete = dropped.flatMap((event) => [
      ...(event.previous === undefined ? [] : [event.previous.modRevision]),
      ...(event.kind === "delete" ? [event.revision] : []),
    ]);
    const rows = { revision: this.memory.compactedRevision, rowCount: this.memory.compactedCount, obsolete };
    try {
      await this.persistence.compact(rows);
    } catch (error) {
      this.unfinished = rows;
      reject(this.breakDown(error));
      return;
    }
    resolve();
    this.flushed();
  }

  private flushed(): void {
    this.flushing = undefined;
    if (this.queue.length > 0 || this.compactions.length > 0) this.flushNext();
  }

  private settle({ event, resolve }: QueuedWrite): void {
    this.memory.append(event);
    const { key } = event.current;
    if (this.pending.get(key)?.revision === event.revision) this.pending.delete(key);
    for (const listener of this.watchers.of(key)) this.notify(listener, event);
    event.previous?.forgetObject();
    if (event.kind === "delete") event.current.forgetObject();
    resolve(event.current);
  }

  private notify(listener: WatchListener, event: LogEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.log.error("a watcher of the store failed", { revision: event.revision, error });
    }
  }

  /** After a failed write the state of the disk is unknown: reads continue, and writes do as soon as it was opened again. */
  private breakDown(error: unknown): AppError {
    this.broken ??= new AppError("E_STORE_DAMAGED", "write to the hub's store: its disk is full or fails", {
      cause: error,
      remedy:
        "Free space on the disk of the hub's folder, or repair the disk: writes continue then. The store keeps what it had.",
    });
    this.log.error("the store takes no writes until its disk does", { error });
    this.recovering = this.recover();
    this.flushing = undefined;
    for (const { reject } of [...this.queue, ...this.compactions]) reject(this.broken);
    this.queue = [];
    this.compactions = [];
    return this.broken;
  }

  /** Whatever was not settled was refused, and is removed from the disk: memory has the true state. */
  private async recover(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        await sleepFor(recoveryPauseMs, signal);
        await this.persistence.recover(this.memory.revision);
        if (this.unfinished !== undefined) await this.persistence.compact(this.unfinished);
      } catch {
        continue; // reported once; the next try shows whether the disk works
      }
      this.unfinished = undefined;
      this.pending.clear();
      this.lastRevision = this.memory.revision;
      this.broken = undefined;
      this.log.info("the store takes writes again");
      return;
    }
  }
}

function rowOf(event: LogEvent): Row {
  return { kind: event.kind, record: event.current };
}

async function loadMemory(memory: MemoryLog, persistence: Persistence): Promise<void> {
  const { compactedRevision, rows } = await persistence.load();
  const alive: StoredRecord[] = [];
  let isRestored = false;
  for await (const { kind, record } of rows) {
    if (record.modRevision <= compactedRevision) {
      alive.push(record);
      continue;
    }
    if (!isRestored) {
      memory.restore(compactedRevision, alive);
      isRestored = true;
    }
    const previous = memory.get(record.key);
    if (record.modRevision !== memory.revision + 1 || (kind === "delete" && previous === undefined)) {
      throw new AppError("E_STORE_DAMAGED", `rows are missing before revision ${record.modRevision}`);
    }
    const event = { kind, revision: record.modRevision, current: record };
    memory.append(previous === undefined ? event : { ...event, previous });
  }
  if (!isRestored) memory.restore(compactedRevision, alive);
}

/** Source: k8s.io/apiserver, endpoints/handlers, isTooLargeError: without them the object is written once more. */
function recordOf(key: string, object: KubeObject, revisions: Parameters<typeof makeRecord>[2]): StoredRecord {
  const record = makeRecord(key, object, revisions);
  const { managedFields, ...metadata } = object.metadata;
  const isKept = managedFields === undefined || record.json.length <= largestManagedBytes;
  return isKept ? record : makeRecord(key, { ...object, metadata }, revisions);
}
