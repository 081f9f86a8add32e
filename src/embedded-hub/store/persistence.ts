import type { Row } from "./row-format.ts";

/** What a compaction takes from disk. */
export interface CompactionRows {
  /** The new compacted revision. */
  readonly revision: number;
  /** Rows at or before it that remain: a later start checks their number. */
  readonly rowCount: number;
  /** Revisions of the rows to delete. */
  readonly obsolete: readonly number[];
}

export interface LoadedRows {
  readonly compactedRevision: number;
  /** All rows, by rising revision. */
  readonly rows: AsyncIterable<Row>;
}

/** Where rows are kept. Methods are called one at a time. */
export interface Persistence {
  load(): Promise<LoadedRows>;
  /** Resolves when the rows are durable, all or none. */
  append(rows: readonly Row[]): Promise<void>;
  compact(rows: CompactionRows): Promise<void>;
  /**
   * After a failed `append` or `compact`: opens the files again and deletes the rows after `lastRevision`, whose
   * writers got an error. Rejects while the disk takes nothing; the caller then calls it again.
   */
  recover(lastRevision: number): Promise<void>;
  /** Remembers that the rows go up to `lastRevision`, unless they could not be read. */
  close(lastRevision: number | undefined): Promise<void>;
}

/** Keeps nothing: a store in memory. */
export const noPersistence: Persistence = {
  load: () => Promise.resolve({ compactedRevision: 0, rows: noRows() }),
  append: () => Promise.resolve(),
  compact: () => Promise.resolve(),
  recover: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

async function* noRows(): AsyncIterable<Row> {
  // A store in memory starts empty.
}
