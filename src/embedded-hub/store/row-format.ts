import { crc32 } from "node:zlib";
import { AppError } from "../../core/errors.ts";
import { StoredRecord } from "./stored-record.ts";

/** One event on disk. */
export interface Row {
  readonly kind: "put" | "delete";
  readonly record: StoredRecord;
}

const headerBytes = 17;

/** checksum (4), kind (1), create revision (8), length of key (4), key, JSON text. Numbers are big-endian. */
export function encodeRow({ kind, record }: Row): Buffer {
  const key = Buffer.from(record.key, "utf8");
  const row = Buffer.allocUnsafe(headerBytes + key.length + record.json.length);
  row.writeUInt8(kind === "put" ? 1 : 2, 4);
  row.writeBigUInt64BE(BigInt(record.createRevision), 5);
  row.writeUInt32BE(key.length, 13);
  key.copy(row, headerBytes);
  record.json.copy(row, headerBytes + key.length);
  row.writeUInt32BE(crc32(row.subarray(4)), 0);
  return row;
}

/** Throws E_STORE_DAMAGED when the checksum or the form is wrong. */
export function decodeRow(revision: number, row: Buffer): Row {
  if (row.length < headerBytes || row.readUInt32BE(0) !== crc32(row.subarray(4))) {
    throw new AppError("E_STORE_DAMAGED", `row ${revision} fails its checksum`, { data: { revision } });
  }
  const jsonStart = headerBytes + row.readUInt32BE(13);
  const record = new StoredRecord({
    key: row.toString("utf8", headerBytes, jsonStart),
    json: row.subarray(jsonStart),
    createRevision: Number(row.readBigUInt64BE(5)),
    modRevision: revision,
  });
  return { kind: row.readUInt8(4) === 1 ? "put" : "delete", record };
}
