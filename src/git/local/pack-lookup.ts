import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where an object is. */
export interface PackPlace {
  /** The pack's file. */
  readonly path: string;
  readonly start: number;
}

/** The packs of a repository, by their indexes. */
export interface PackLookup {
  /** Where an object of this SHA-1 id is; undefined when no pack has it. */
  find(id: string): PackPlace | undefined;
}

/** Larger indexes are left to other readers. */
const largestIndexBytes = 256 * 1024 * 1024;
/** In front of an index's ids: what it is, and how many begin with each byte or a lower one. */
export const headBytes = 8 + 256 * 4;
const idBytes = 20;
const trailerBytes = 2 * idBytes;

/**
 * The packs that are in a folder now. Indexes of another version than 2, and those that are not as long as they must be, are
 * passed over. Source: git, gitformat-pack(5).
 */
export function readPackFolder(folder: string): PackLookup {
  const indexes = indexPathsIn(folder).flatMap((path) => readIndex(path) ?? []);
  return {
    find: (id) => {
      const wanted = Buffer.from(id, "hex");
      for (const { path, startOf } of indexes) {
        const start = startOf(wanted);
        if (start !== undefined) return { path, start };
      }
      return undefined;
    },
  };
}

/** The files with the indexes of the packs in a folder. */
export function indexPathsIn(folder: string): readonly string[] {
  return listFolder(folder).flatMap((name) => (name.endsWith(".idx") ? [join(folder, name)] : []));
}

/** An index of version 2, which is sorted; undefined of another form. */
export function readSortedIndex(path: string): Buffer | undefined {
  if (statSync(path).size > largestIndexBytes) return undefined;
  const index = readFileSync(path);
  const isSorted =
    index.length >= headBytes + trailerBytes && index.readUInt32BE(0) === 0xff744f63 && index.readUInt32BE(4) === 2;
  return isSorted ? index : undefined;
}

/** Which entries of a sorted index begin with a byte: from the first number on, up to the second. */
export function entriesWith(firstByte: number, index: Buffer): readonly [number, number] {
  return [firstByte === 0 ? 0 : index.readUInt32BE(8 + (firstByte - 1) * 4), index.readUInt32BE(8 + firstByte * 4)];
}

interface PackIndex {
  readonly path: string;
  readonly startOf: (id: Buffer) => number | undefined;
}

function readIndex(path: string): PackIndex | undefined {
  const index = readSortedIndex(path);
  if (index === undefined) return undefined;
  const count = index.readUInt32BE(headBytes - 4);
  const startsAt = headBytes + count * (idBytes + 4);
  const largeStartsAt = startsAt + count * 4;
  if (index.length < largeStartsAt + trailerBytes) return undefined;
  return {
    path: path.replace(/idx$/u, "pack"),
    startOf: (id) => {
      const at = findId(index, id);
      if (at === undefined) return undefined;
      const start = index.readUInt32BE(startsAt + at * 4);
      if (start < 0x80000000) return start;
      // Of a pack of more than 2 GiB, the number is in a table of its own.
      return Number(index.readBigUInt64BE(largeStartsAt + (start - 0x80000000) * 8));
    },
  };
}

/** Which entry of a sorted index an id is. */
function findId(index: Buffer, id: Buffer): number | undefined {
  let [low, high] = entriesWith(id[0] ?? 0, index);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = headBytes + middle * idBytes;
    const order = index.compare(id, 0, idBytes, at, at + idBytes);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

/** Names in a folder of objects or packs. */
export function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A repository without such objects need not have the folder.
    return [];
  }
}
