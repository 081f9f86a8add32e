import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { suppressionMark } from "../manifests/suppressions.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { ParsedFile } from "../model/source.ts";
import { makeFolder } from "../system/make-folder.ts";
import { readOwnFile } from "../system/own-file.ts";
import { writeFileAtomically } from "../system/write-file-atomically.ts";
import { programKey } from "./program-key.ts";

/**
 * Parse results of files, kept between commands by the id of their blob: it saves parsing, and has only results of
 * parsing. Only files without any problem are kept. What another user may have written is not read. It may be deleted at
 * any time.
 */
export interface ParseCache {
  /** The file as it was parsed when a file with this very content was, or undefined. */
  recall(path: string, blobId: string): ParsedFile | undefined;
  /** Takes in a file that was parsed now. */
  keep(file: ParsedFile): void;
  /** Writes what was used, when enough of it is new. A folder that cannot be written costs only the time of the next run. */
  save(): Promise<void>;
}

type KeptDocument = readonly [line: number, column: number, index: number, object: KubeObject];

interface Kept {
  readonly documents: readonly KeptDocument[];
  readonly text: () => string;
  readonly sizeBytes: number;
  readonly parsedPieces: number;
}

/** Fewer new files than this are parsed again more quickly than all are written. */
const worthSaving = 100;
/** A file that has more was not written here. */
const mostBytes = 512 * 1024 * 1024;

/** A cache in `folder`, which is made when something is saved. Other versions of the program have files of their own. */
export async function openParseCache(folder: string): Promise<ParseCache> {
  const cacheFile = join(folder, `parsed-${programKey()}`);
  const known = await readCache(cacheFile);
  const used = new Map<string, Kept>();
  let newCount = 0;
  return {
    recall(path, blobId) {
      const key = keyOf(path, blobId);
      const kept = used.get(key) ?? known.get(key);
      if (kept === undefined) return undefined;
      used.set(key, kept);
      return toParsedFile(path, blobId, kept);
    },
    keep(file) {
      const { path, blobId, text, documents, problems, isUnidentified, brokenObjects, parsedPieces = 0 } = file;
      const isClean =
        problems.length === 0 && !isUnidentified && brokenObjects.length === 0 && file.isUnreadable !== true;
      if (!isClean || blobId === "" || text.includes(suppressionMark)) return;
      newCount += 1;
      used.set(keyOf(path, blobId), {
        documents: documents.map(({ position, index, object }) => [position.line, position.column, index, object]),
        text: () => text,
        sizeBytes: Buffer.byteLength(text),
        parsedPieces,
      });
    },
    async save() {
      if (newCount < worthSaving) return;
      newCount = 0;
      await writeCache(folder, cacheFile, used);
    },
  };
}

/** A file with the ending .json is read more leniently than one with another. */
function keyOf(path: string, blobId: string): string {
  return path.endsWith(".json") ? `${blobId}.json` : blobId;
}

function toParsedFile(path: string, blobId: string, { documents, text, sizeBytes, parsedPieces }: Kept): ParsedFile {
  return {
    path,
    blobId,
    sizeBytes,
    parsedPieces,
    get text() {
      return text();
    },
    documents: documents.map(([line, column, index, object]) => ({
      position: { file: path, line, column },
      index,
      blobId,
      object,
    })),
    problems: [],
    isUnidentified: false,
    brokenObjects: [],
  };
}

// The file: a line of JSON with the length of the next part, entries as JSON, then all texts.

type KeptEntry = readonly [start: number, length: number, documents: readonly KeptDocument[], parsedPieces: number];

async function readCache(path: string): Promise<ReadonlyMap<string, Kept>> {
  const entries = new Map<string, Kept>();
  try {
    const content = await readOwnFile(path, mostBytes);
    if (content === undefined) return entries;
    const lineEnd = content.indexOf(10);
    const { entryBytes } = JSON.parse(content.toString("latin1", 0, lineEnd)) as { entryBytes: number };
    const texts = content.subarray(lineEnd + 1 + entryBytes);
    const read = JSON.parse(content.toString("utf8", lineEnd + 1, lineEnd + 1 + entryBytes)) as Record<
      string,
      KeptEntry
    >;
    for (const [key, [start, length, documents, parsedPieces]] of Object.entries(read)) {
      const text = (): string => texts.toString("utf8", start, start + length);
      entries.set(key, { documents, text, sizeBytes: length, parsedPieces });
    }
    return entries;
  } catch {
    // Not there, not readable or damaged: everything is parsed, as without it.
    return new Map();
  }
}

async function writeCache(folder: string, path: string, entries: ReadonlyMap<string, Kept>): Promise<void> {
  const texts: Buffer[] = [];
  let start = 0;
  const written: Record<string, KeptEntry> = {};
  for (const [key, { documents, text, parsedPieces }] of entries) {
    const bytes = Buffer.from(text());
    written[key] = [start, bytes.length, documents, parsedPieces];
    texts.push(bytes);
    start += bytes.length;
  }
  const body = Buffer.from(JSON.stringify(written));
  const head = Buffer.from(`${JSON.stringify({ entryBytes: body.length })}\n`);
  try {
    await makeFolder(folder);
    await writeFileAtomically(path, Buffer.concat([head, body, ...texts]));
    for (const name of await readdir(folder))
      if (name.startsWith("parsed-") && join(folder, name) !== path) await rm(join(folder, name), { force: true });
  } catch {
    // No room, or no right to write there: the next run parses again.
  }
}
