import type { Persistence } from "../../src/embedded-hub/store/persistence.ts";
import type { Row } from "../../src/embedded-hub/store/row-format.ts";
import { StoredRecord } from "../../src/embedded-hub/store/stored-record.ts";
import type { ReadCache } from "./read-cache.ts";
import type { Scheduler, SimNode } from "./scheduler.ts";

/** What survives a hub's process. */
export interface Disk {
  /** For one life of the process: what it has not synced when it ends is lost. */
  open(node: SimNode): Persistence;
  /** What is durable now, for `putBack`. */
  copy(): DiskCopy;
  /** While no process has it open: revisions go back, too, and are given again for other content. */
  putBack(copy: DiskCopy): void;
}

export interface DiskCopy {
  readonly rows: ReadonlyMap<number, Row>;
  readonly compactedRevision: number;
}

export interface DiskObserver {
  /** Receives each row as soon as it is durable. */
  readonly onRow?: (row: Row) => void;
  /** No write is taken now. Default: never. */
  readonly isFull?: () => boolean;
  /** Answers that a write ends. */
  readonly reads?: ReadCache;
}

export function createDisk(scheduler: Scheduler, { onRow, reads, isFull = () => false }: DiskObserver): Disk {
  const rows = new Map<number, Row>();
  let compactedRevision = 0;
  const sync = (node: SimNode, what: string, then: () => void): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isFull()) {
        scheduler.send(node, scheduler.between(0.05, 2), "disk full", () => reject(noSpace()));
        return;
      }
      reads?.beginWrite();
      scheduler.send(node, scheduler.between(0.05, 2), what, () => {
        then();
        // The process may end between the sync and its hearing of it.
        scheduler.send(node, scheduler.between(0, 0.2), "synced", () => {
          reads?.endWrite();
          resolve();
        });
      });
    });
  return {
    open: (node) => ({
      load: () => Promise.resolve({ compactedRevision, rows: read([...rows.values()]) }),
      append: (batch) =>
        sync(node, `sync ${batch.length}`, () => {
          for (const row of batch) {
            rows.set(row.record.modRevision, row);
            onRow?.(row);
          }
        }),
      compact: ({ revision, obsolete }) =>
        sync(node, "compact", () => {
          compactedRevision = revision;
          for (const one of obsolete) rows.delete(one);
        }),
      recover: () => (isFull() ? Promise.reject(noSpace()) : Promise.resolve()),
      close: () => Promise.resolve(),
    }),
    copy: () => ({ rows: new Map(rows), compactedRevision }),
    putBack: (copy) => {
      rows.clear();
      for (const [revision, row] of copy.rows) rows.set(revision, row);
      compactedRevision = copy.compactedRevision;
    },
  };
}

function noSpace(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
}

async function* read(rows: readonly Row[]): AsyncIterable<Row> {
  const sorted = [...rows].sort((a, b) => a.record.modRevision - b.record.modRevision);
  // As from a file: nothing of the earlier process is shared.
  for (const { kind, record } of sorted) {
    const { key, json, createRevision, modRevision } = record;
    yield { kind, record: new StoredRecord({ key, json, createRevision, modRevision }) };
  }
}
