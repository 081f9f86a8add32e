import { AppError } from "../../core/errors.ts";
import { refuseNewer } from "../../core/refuse-newer.ts";
import type { Persistence } from "./persistence.ts";
import { decodeRow, encodeRow } from "./row-format.ts";
import type { Row } from "./row-format.ts";
import type { Store } from "./store.ts";
import { StoredRecord } from "./stored-record.ts";

const magic = "rollcall-snapshot-1\n";
const headerBytes = magic.length + 12;
const rowHeaderBytes = 12;
/** Rows that are written together. */
const pageRows = 1000;
/**
 * How far revisions jump at a restore: clients may have seen revisions that came after the snapshot, and must not meet them
 * again with other content. Source: etcd, snapshot restore --bump-revision.
 */
const bump = 1_000_000_000;

/** Everything that a store holds now, without its history: name, revision, count, then rows with their checksums. */
export function encodeSnapshot(store: Pick<Store, "list">): Buffer {
  const { items, revision } = store.list("/");
  const header = Buffer.alloc(headerBytes);
  header.write(magic, "latin1");
  header.writeBigUInt64BE(BigInt(revision), magic.length);
  header.writeUInt32BE(items.length, magic.length + 8);
  const parts: Buffer[] = [header];
  for (const { key, json, createRevision, modRevision } of items) {
    const record = new StoredRecord({ key, json, createRevision, modRevision });
    const row = encodeRow({ kind: "put", record });
    const rowHeader = Buffer.alloc(rowHeaderBytes);
    rowHeader.writeBigUInt64BE(BigInt(modRevision), 0);
    rowHeader.writeUInt32BE(row.length, 8);
    parts.push(rowHeader, row);
  }
  return Buffer.concat(parts);
}

/**
 * Fills an empty persistence with a snapshot and closes it. Revisions continue far behind the snapshot's, and all before are
 * compacted: a watch from the time before begins anew.
 * @throws E_STORE_VERSION when a newer version took it; E_STORE_DAMAGED when the snapshot is not whole, before anything is
 * written
 */
export async function restoreSnapshot(persistence: Persistence, snapshot: Buffer): Promise<void> {
  const { revision, rows } = decodeSnapshot(snapshot);
  for (let start = 0; start < rows.length; start += pageRows)
    await persistence.append(rows.slice(start, start + pageRows));
  const restored = revision + bump;
  await persistence.compact({ revision: restored, rowCount: rows.length, obsolete: [] });
  await persistence.close(restored);
}

function decodeSnapshot(snapshot: Buffer): { readonly revision: number; readonly rows: readonly Row[] } {
  const [, format] = /^rollcall-snapshot-(\d{1,9})\n/u.exec(snapshot.toString("latin1", 0, headerBytes)) ?? [];
  refuseNewer("read the snapshot", { format, known: 1 });
  if (snapshot.length < headerBytes || snapshot.toString("latin1", 0, magic.length) !== magic)
    throw damaged("it does not begin like one");
  const revision = Number(snapshot.readBigUInt64BE(magic.length));
  const count = snapshot.readUInt32BE(magic.length + 8);
  const rows: Row[] = [];
  let position = headerBytes;
  while (position + rowHeaderBytes <= snapshot.length) {
    const modRevision = Number(snapshot.readBigUInt64BE(position));
    const end = position + rowHeaderBytes + snapshot.readUInt32BE(position + 8);
    if (end > snapshot.length) throw damaged("it is cut off");
    rows.push(decodeRow(modRevision, snapshot.subarray(position + rowHeaderBytes, end)));
    position = end;
  }
  if (rows.length !== count || position !== snapshot.length) throw damaged(`it has ${rows.length} of ${count} objects`);
  // By rising revision, as a store has them.
  return { revision, rows: rows.sort((a, b) => a.record.modRevision - b.record.modRevision) };
}

function damaged(reason: string): AppError {
  return new AppError("E_STORE_DAMAGED", `read the snapshot: ${reason}`);
}
