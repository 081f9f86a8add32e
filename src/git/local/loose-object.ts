import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { GitObject } from "../objects/git-object.ts";
import { isObjectType } from "../objects/git-object.ts";

/** Larger objects are left to other readers. */
const largestBytes = 64 * 1024 * 1024;
const longestHeader = 32;

/**
 * An object that is a file of its own, unpacked by node:zlib and unverified; undefined when there is none, or when it is
 * larger or in another form than supported here: another reader then reports the fault. Never throws. Source: git,
 * gitformat-loose(5).
 */
export function readLooseObject(gitdirs: readonly string[], id: string): GitObject | undefined {
  for (const gitdir of gitdirs) {
    try {
      const path = join(gitdir, "objects", id.slice(0, 2), id.slice(2));
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined || stat.size > largestBytes) continue;
      const options = { maxOutputLength: largestBytes + longestHeader, chunkSize: chunkSizeOf(stat.size) };
      const object = parseObject(inflateSync(readFileSync(path), options));
      if (object) return object;
    } catch {
      // Another reader reports the fault.
    }
  }
  return undefined;
}

/** Most objects are then unpacked in one piece, without the room for a large one. */
function chunkSizeOf(compressedBytes: number): number {
  return Math.min(Math.max(4 * compressedBytes, 512), 1024 * 1024);
}

function parseObject(bytes: Buffer): GitObject | undefined {
  const headerEnd = bytes.subarray(0, longestHeader).indexOf(0);
  const [type = "", size = ""] = bytes.toString("latin1", 0, Math.max(0, headerEnd)).split(" ");
  const content = bytes.subarray(headerEnd + 1);
  return isObjectType(type) && size === String(content.length) ? { type, content } : undefined;
}
