import { createHash } from "node:crypto";
import type { Turns } from "./take-turns.ts";

/** An object of a pack, as the pack's index has it. */
export interface IndexEntry {
  /** 20 characters of one byte each. */
  readonly id: string;
  readonly crc: number;
  readonly start: number;
}

/** The index (version 2) of a pack of SHA-1 ids and less than 2 GiB. Source: git, gitformat-pack(5). */
export async function formatPackIndex(
  entries: readonly IndexEntry[],
  packChecksum: Buffer,
  turns: Turns,
): Promise<Buffer> {
  // In 256 parts, so that no single sort takes long.
  const parts: IndexEntry[][] = Array.from({ length: 256 }, () => []);
  for (const entry of entries) parts[entry.id.charCodeAt(0)]?.push(entry);
  const head = Buffer.alloc(8 + 256 * 4);
  head.writeUInt32BE(0xff744f63, 0);
  head.writeUInt32BE(2, 4);
  const ids = Buffer.alloc(entries.length * 20);
  const numbers = Buffer.alloc(entries.length * 8);
  let count = 0;
  for (const [first, part] of parts.entries()) {
    await turns.pass();
    for (const { id, crc, start } of part.sort(byId)) {
      ids.write(id, count * 20, "latin1");
      numbers.writeUInt32BE(crc, count * 4);
      numbers.writeUInt32BE(start, (entries.length + count) * 4);
      count += 1;
    }
    head.writeUInt32BE(count, 8 + first * 4);
  }
  const body = Buffer.concat([head, ids, numbers, packChecksum]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

function byId(a: IndexEntry, b: IndexEntry): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
