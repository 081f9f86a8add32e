import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { GitObject } from "../objects/git-object.ts";
import { applyDelta, deltaTargetSize } from "../wire/apply-delta.ts";
import type { ContentCache } from "../wire/content-cache.ts";
import { makeContentCache } from "../wire/content-cache.ts";
import { readPackEntry } from "../wire/pack-file.ts";
import { takeTurns } from "../wire/take-turns.ts";
import type { PackLookup, PackPlace } from "./pack-lookup.ts";
import { readPackFolder } from "./pack-lookup.ts";

/** Objects of a repository's packs, unpacked by node:zlib. */
export interface PackedObjects {
  /**
   * An object that one of the packs has, unverified; undefined when none has it, or when it is larger or in another
   * form than supported here: another reader then reports the fault. Never throws.
   */
  read(id: string): Promise<GitObject | undefined>;
  /** Lists packs again at the next read. */
  forget(): void;
}

/** Larger objects, and deltas of more steps, are left to other readers. */
const largestBytes = 64 * 1024 * 1024;
const mostDeltas = 4096;
/** Objects that are read one after the other are mostly beside each other. */
const windowBytes = 256 * 1024;
const cachedWindowBytes = 8 * 1024 * 1024;
const cachedBaseBytes = 16 * 1024 * 1024;
const longestMs = 60_000;
/** The head of an object, with the id of a delta's base. */
const headBytes = 64;

/** `gitdirs`: the repository's folder, and those of the repositories that it borrows objects from. */
export function openPackedObjects(gitdirs: readonly string[]): PackedObjects {
  let lookups: readonly PackLookup[] | undefined;
  let windows = makeContentCache<string>(cachedWindowBytes);
  let bases = makeContentCache<string, WholeObject>(cachedBaseBytes, sizeOf);

  const find = (id: string): PackPlace | undefined => {
    lookups ??= gitdirs.map((gitdir) => readPackFolder(join(gitdir, "objects", "pack")));
    for (const lookup of lookups) {
      const place = lookup.find(id);
      if (place) return place;
    }
    return undefined;
  };

  /** The bytes of a pack from `start`: at least `length`, unless the pack ends before. */
  const readBytes = (path: string, start: number, length: number): Buffer => {
    const from = Math.floor(start / windowBytes) * windowBytes;
    if (start + length > from + windowBytes) return readRange(path, start, length);
    const key = `${path} ${from}`;
    const known = windows.get(key);
    const window = known ?? readRange(path, from, windowBytes);
    if (!known) windows.set(key, window);
    return window.subarray(start - from);
  };

  /** What is at a place: an object's content, or a delta with the place of its base. */
  const readEntry = ({ path, start }: PackPlace): Entry => {
    const { type, sizeBytes, dataStart, base } = readPackEntry(readBytes(path, start, headBytes), 0);
    if (sizeBytes > largestBytes) throw new Error("it is too large");
    const compressed = readBytes(path, start + dataStart, sizeBytes + Math.ceil(sizeBytes / 1024) + 64);
    const chunkSize = Math.min(Math.max(sizeBytes, 64), 65_536);
    const content = inflateSync(compressed, { maxOutputLength: Math.max(sizeBytes, 1), chunkSize });
    if (content.length !== sizeBytes) throw new Error("it has another size than its header declares");
    if (type !== undefined) return { type, content };
    // Only the entry's head was read: the base is that far before it.
    if (base && "start" in base && base.start < 0) return { delta: content, base: { path, start: start + base.start } };
    const place = base && "id" in base ? find(Buffer.from(base.id, "latin1").toString("hex")) : undefined;
    if (place === undefined) throw new Error("the base of a delta is not in a pack");
    return { delta: content, base: place };
  };

  const readAt = async (first: PackPlace): Promise<GitObject> => {
    const deltas: { readonly key: string; readonly delta: Buffer }[] = [];
    let place = first;
    for (;;) {
      const key = `${place.path} ${place.start}`;
      const known = bases.get(key);
      const entry = known ?? readEntry(place);
      if (!("delta" in entry)) {
        if (deltas.length > 0) bases.set(key, entry);
        return applyAll(entry, deltas, bases);
      }
      deltas.push({ key, delta: entry.delta });
      if (deltas.length > mostDeltas) throw new Error("it is made of too many deltas");
      place = entry.base;
    }
  };

  return {
    read: async (id) => {
      try {
        const place = find(id);
        return place && (await readAt(place));
      } catch {
        // Another reader reports the fault, or finds that a pack was replaced meanwhile.
        return undefined;
      }
    },
    forget: () => {
      lookups = undefined;
      windows = makeContentCache(cachedWindowBytes);
      bases = makeContentCache(cachedBaseBytes, sizeOf);
    },
  };
}

interface WholeObject {
  readonly type: GitObject["type"];
  readonly content: Buffer;
}

const sizeOf = ({ content }: WholeObject): number => content.length;

type Entry = WholeObject | { readonly delta: Buffer; readonly base: PackPlace };

/** The object that deltas make of their base, the last one first; each step may be the base of others. */
async function applyAll(
  base: WholeObject,
  deltas: readonly { readonly key: string; readonly delta: Buffer }[],
  bases: ContentCache<string, WholeObject>,
): Promise<WholeObject> {
  if (deltas.length === 0) return base;
  const turns = takeTurns("read an object of a pack", longestMs);
  let { content } = base;
  for (const { key, delta } of deltas.toReversed()) {
    if (deltaTargetSize(delta) > largestBytes) throw new Error("it is too large");
    content = await applyDelta(content, delta, turns);
    bases.set(key, { type: base.type, content });
  }
  return { type: base.type, content };
}

/** At most `length` bytes of a file. */
function readRange(path: string, start: number, length: number): Buffer {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const buffer = Buffer.allocUnsafe(length);
    let count = 0;
    for (let more = 1; more > 0 && count < length; count += more)
      more = readSync(file, buffer, count, length - count, start + count);
    return buffer.subarray(0, count);
  } finally {
    closeSync(file);
  }
}
