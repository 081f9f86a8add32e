import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { packHeaderBytes } from "./pack-file.ts";
import { formatPackIndex } from "./pack-index.ts";
import type { IndexEntry } from "./pack-index.ts";
import { largeBlobBytes, makePackBudget, tooManyObjects } from "./pack-limits.ts";
import type { PackLimits } from "./pack-limits.ts";
import { readPackObjects } from "./pack-objects.ts";
import { protocolError } from "./pkt-line.ts";
import { takeTurns } from "./take-turns.ts";
import type { Turns } from "./take-turns.ts";

export interface IndexedPack {
  /** The hash at its end, in hex. */
  readonly checksum: string;
  /** With those that are left out. */
  readonly objectCount: number;
  readonly index: Buffer;
  /** How many blobs are not in the index because of their size. */
  readonly leftOut: number;
}

const checksumBytes = 20;
const sliceBytes = 1024 ** 2;

/**
 * Checks a pack of SHA-1 ids that came from outside before anything else reads it, and makes its index: complete,
 * unharmed, every delta with its base, and within limits that are noticed before they are passed. Blobs that are too large
 * for a file of ours are left out of the index. Others have their turn all the time.
 * @throws E_GIT_PROTOCOL; E_UNSUPPORTED when it is too large or takes too long; the signal's reason
 */
export async function indexPack(pack: Buffer, limits: PackLimits = {}, signal?: AbortSignal): Promise<IndexedPack> {
  const { maximumBlobBytes = largeBlobBytes, maximumObjects = 1_000_000, maximumMs = 300_000 } = limits;
  const bodyEnd = pack.length - checksumBytes;
  if (bodyEnd < packHeaderBytes || pack.toString("latin1", 0, 4) !== "PACK") throw protocolError("the pack is cut off");
  const [version, objectCount] = [pack.readUInt32BE(4), pack.readUInt32BE(8)];
  if (version !== 2) throw protocolError(`the pack is malformed: version ${version} is not known`);
  const turns = takeTurns("read a pack", maximumMs, signal);
  const body = pack.subarray(0, bodyEnd);
  const packChecksum = pack.subarray(bodyEnd);
  if (!(await sha1Of(body, turns)).equals(packChecksum)) throw protocolError("the pack is damaged");
  if (objectCount > maximumObjects) throw tooManyObjects(objectCount, maximumObjects);
  const objects = await readPackObjects(body, makePackBudget(limits, pack.length), turns);
  const entries: IndexEntry[] = [];
  for (const { id, type, start, end, contentBytes, isLeftOut } of objects) {
    await turns.pass();
    if (id === undefined || isLeftOut || (type === "blob" && contentBytes > maximumBlobBytes)) continue;
    entries.push({ id, start, crc: crc32(body.subarray(start, end)) });
  }
  return {
    checksum: packChecksum.toString("hex"),
    objectCount,
    index: await formatPackIndex(entries, packChecksum, turns),
    leftOut: objectCount - entries.length,
  };
}

async function sha1Of(bytes: Buffer, turns: Turns): Promise<Buffer> {
  const hash = createHash("sha1");
  for (let position = 0; position < bytes.length; position += sliceBytes) {
    await turns.pass();
    hash.update(bytes.subarray(position, position + sliceBytes));
  }
  return hash.digest();
}
