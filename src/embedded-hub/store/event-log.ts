import { AppError } from "../../core/errors.ts";
import type { StoredRecord } from "./stored-record.ts";

/** A StoreEvent over records. */
export interface LogEvent {
  readonly kind: "put" | "delete";
  readonly revision: number;
  readonly current: StoredRecord;
  readonly previous?: StoredRecord;
}

/**
 * Every event after the compacted revision, without gaps. Each event leads to the one before it of the same key, so that the
 * history of one object is read without that of the others. A class for its history.
 */
export class EventLog {
  private events: LogEvent[] = [];
  private compacted = 0;
  private bytes = 0;
  /** The revision of the newest kept delete of each key that is deleted now. */
  private readonly deletes = new Map<string, number>();
  /** Of each put that created a key anew: the revision of the delete before it. */
  private readonly recreations = new Map<number, number>();

  get revision(): number {
    return this.compacted + this.events.length;
  }

  get compactedRevision(): number {
    return this.compacted;
  }

  /** How long the texts of all kept events are together. */
  get sizeBytes(): number {
    return this.bytes;
  }

  /** Begins an empty log after `revision`. */
  restore(revision: number): void {
    this.compacted = revision;
  }

  append(event: LogEvent): void {
    if (event.revision !== this.revision + 1) {
      throw new AppError("E_BUG", `event ${event.revision} follows revision ${this.revision}`);
    }
    this.events.push(event);
    this.bytes += event.current.json.length;
    const { key } = event.current;
    const deletedAt = this.deletes.get(key);
    if (event.kind === "delete") this.deletes.set(key, event.revision);
    else if (deletedAt !== undefined) {
      this.deletes.delete(key);
      this.recreations.set(event.revision, deletedAt);
    }
  }

  /** The event that made `revision`; undefined when it is compacted. */
  at(revision: number): LogEvent | undefined {
    return this.events[revision - this.compacted - 1];
  }

  /** The newest event of a key whose record is `live` now; undefined when none is kept. */
  newestOf(key: string, live: StoredRecord | undefined): LogEvent | undefined {
    return this.at(live?.modRevision ?? this.deletes.get(key) ?? 0);
  }

  /** The event before it of the same key; undefined when none is kept. */
  before(event: LogEvent): LogEvent | undefined {
    return this.at(event.previous?.modRevision ?? this.recreations.get(event.revision) ?? 0);
  }

  /** Drops the events up to `revision` and returns them; `onForgotten` gets keys that are deleted and have no history left. */
  compact(revision: number, onForgotten: (key: string) => void): readonly LogEvent[] {
    const dropped = this.events.splice(0, revision - this.compacted);
    this.compacted += dropped.length;
    for (const event of dropped) {
      const { key } = event.current;
      this.bytes -= event.current.json.length;
      this.recreations.delete(event.revision);
      if (this.deletes.get(key) !== event.revision) continue;
      this.deletes.delete(key);
      onForgotten(key);
    }
    return dropped;
  }
}
