import type { Stats } from "node:fs";
import { lstatSync } from "node:fs";
import { access, open } from "node:fs/promises";
import { join } from "node:path";
import { fileErrorCode } from "./durable-files.ts";
import type { ObjectFormat } from "../objects/git-object.ts";
import { findGitDir } from "./local-repository.ts";

/** What git recorded of a work tree's files when it last hashed them. */
export interface WorkTreeIndex {
  /**
   * The id of the blob that a file is, or undefined when it must be read: it is not in the index, or it may
   * have been written since. A file is taken as untouched when size, inode and both of its times are what they were then, and
   * it was not written in the moment in which the index was.
   */
  blobIdOf(path: string): string | undefined;
  /** The path of each file, also of those in the midst of a merge. */
  readonly paths: Iterable<string>;
  /** Whether git leaves the file out of the work tree, as in a sparse checkout: that it is not there is no change. */
  isLeftOut(path: string): boolean;
  /** What it leaves out; with a slash at the end whole folders, whose id is that of a tree. */
  readonly leftOut: ReadonlyMap<string, StagedEntry>;
}

interface StagedEntry {
  readonly isPlainFile: boolean;
  readonly blobId: string;
}

interface Entry extends StagedEntry {
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly size: number;
}

/** Larger than that of a repository with every file that is read at all. */
const largestBytes = 256 * 1024 * 1024;

interface ParsedIndex {
  /** Without files in the midst of a merge, which are there several times. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly paths: ReadonlySet<string>;
  readonly leftOut: ReadonlyMap<string, StagedEntry>;
}

/**
 * Reads the index of a work tree; without one, nothing is in it. Undefined for one of a form that is not read here (a split
 * index): then files have to be read to know what they are.
 * Source: git, gitformat-index(5); racy-git, "Racy Git".
 * @throws E_GIT_FOLDER when the folder is no git repository
 */
export async function readWorkTreeIndex(dir: string, format: ObjectFormat): Promise<WorkTreeIndex | undefined> {
  const read = await readIndexFile(join(await findGitDir(dir), "index"));
  if (read === "none") return { paths: [], blobIdOf: () => undefined, isLeftOut: () => false, leftOut: new Map() };
  const parsed = read && parseIndex(read.content, format);
  if (!read || !parsed) return undefined;
  const { entries, paths, leftOut } = parsed;
  const root = join(dir, "/");
  return {
    paths,
    leftOut,
    isLeftOut: (path) => leftOut.has(path) || foldersAbove(path).some((folder) => leftOut.has(folder)),
    blobIdOf: (path) => {
      const entry = entries.get(path);
      if (entry === undefined || !entry.isPlainFile || entry.mtimeMs >= read.writtenAtMs) return undefined;
      const stat = lstatSync(root + path, { throwIfNoEntry: false });
      return stat && isUntouched(stat, entry) ? entry.blobId : undefined;
    },
  };
}

/**
 * What git tracks, so that no rule ignores it: what is in the index, which need not be committed. Where that is not known, and in
 * folders that it has whole, what is committed.
 */
export function trackedPaths(index: WorkTreeIndex | undefined, committed: Iterable<string>): string[] {
  if (index === undefined) return [...committed];
  return [...index.paths, ...[...committed].filter((path) => index.isLeftOut(path))];
}

/**
 * Whether a work tree may be a sparse checkout: then only its index has which files are left out.
 * @throws E_GIT_FOLDER when the folder is no git repository
 */
export async function mayBeSparse(dir: string): Promise<boolean> {
  return access(join(await findGitDir(dir), "info", "sparse-checkout")).then(
    () => true,
    () => false,
  );
}

/** `a/` and `a/b/` of `a/b/c`: a sparse index has one entry for a folder. */
function foldersAbove(path: string): string[] {
  return [...path.matchAll(/\//gu)].map(({ index }) => path.slice(0, index + 1));
}

function isUntouched(stat: Stats, { ctimeMs, mtimeMs, ino, size }: Entry): boolean {
  const isSameTime = stat.mtimeMs === mtimeMs && stat.ctimeMs === ctimeMs;
  return stat.isFile() && isSameTime && stat.size === size && stat.ino % 2 ** 32 === ino;
}

async function readIndexFile(path: string): Promise<{ content: Buffer; writtenAtMs: number } | "none" | undefined> {
  try {
    const file = await open(path);
    try {
      const { size, mtimeMs } = await file.stat();
      return size > largestBytes ? undefined : { content: await file.readFile(), writtenAtMs: mtimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    // Before the first `git add` there is no index: git tracks nothing.
    if (fileErrorCode(error) === "ENOENT") return "none";
    // With one that may not be read, the files are read.
    if (fileErrorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Bytes before the id: times, device, inode, mode, owner, group, size. */
const fixedBytes = 40;
const fileType = 0o170000;
const plainFile = 0o100000;
/** Of the further flags of an entry. */
const skipWorkTree = 0x4000;

function parseIndex(content: Buffer, format: ObjectFormat): ParsedIndex | undefined {
  const idBytes = format === "sha1" ? 20 : 32;
  if (content.length < 12 + idBytes || content.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = content.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const entries = new Map<string, Entry>();
  const paths = new Set<string>();
  const leftOut = new Map<string, StagedEntry>();
  const end = content.length - idBytes;
  let at = 12;
  let before: Buffer = Buffer.of();
  for (let left = content.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + fixedBytes + idBytes;
    if (flagsAt + 2 > end) return undefined;
    const flags = content.readUInt16BE(flagsAt);
    const isExtended = (flags & 0x4000) !== 0;
    const read = (version === 4 ? readShortenedPath : readPath)(content.subarray(0, end), {
      entryAt: at,
      pathAt: flagsAt + (isExtended ? 4 : 2),
      before,
    });
    if (read === undefined) return undefined;
    const path = read.bytes.toString("utf8");
    paths.add(path);
    const entry = readEntry(content, at, idBytes);
    if (isExtended && (content.readUInt16BE(flagsAt + 2) & skipWorkTree) !== 0) leftOut.set(path, entry);
    const isMerged = (flags & 0x3000) === 0;
    if (isMerged) entries.set(path, entry);
    at = read.end;
    before = read.bytes;
  }
  return hasExtension(content.subarray(0, end), at, "link") ? undefined : { entries, paths, leftOut };
}

interface PathPlace {
  readonly entryAt: number;
  readonly pathAt: number;
  /** The path of the entry before. */
  readonly before: Buffer;
}

/** A path, and where the next entry begins; undefined where the index is cut off. */
type ReadPath = { readonly bytes: Buffer; readonly end: number } | undefined;

function readPath(content: Buffer, { entryAt, pathAt }: PathPlace): ReadPath {
  const pathEnd = content.indexOf(0, pathAt);
  if (pathEnd < 0) return undefined;
  // One to eight zeros bring the entry to a multiple of eight.
  return { bytes: content.subarray(pathAt, pathEnd), end: pathEnd + 8 - ((pathEnd - entryAt) % 8) };
}

/** Version 4: how many bytes at the end of the path before are replaced, and by what. */
function readShortenedPath(content: Buffer, { pathAt, before }: PathPlace): ReadPath {
  let at = pathAt;
  let byte = content[at++] ?? 0;
  let replaced = byte & 0x7f;
  while (byte >= 0x80) {
    byte = content[at++] ?? 0;
    replaced = (replaced + 1) * 128 + (byte & 0x7f);
  }
  const pathEnd = content.indexOf(0, at);
  if (pathEnd < 0 || replaced > before.length) return undefined;
  const kept = before.subarray(0, before.length - replaced);
  return { bytes: Buffer.concat([kept, content.subarray(at, pathEnd)]), end: pathEnd + 1 };
}

function readEntry(content: Buffer, at: number, idBytes: number): Entry {
  const word = (index: number): number => content.readUInt32BE(at + 4 * index);
  return {
    ctimeMs: word(0) * 1000 + word(1) / 1_000_000,
    mtimeMs: word(2) * 1000 + word(3) / 1_000_000,
    ino: word(5),
    isPlainFile: (word(6) & fileType) === plainFile,
    size: word(9),
    blobId: content.toString("hex", at + fixedBytes, at + fixedBytes + idBytes),
  };
}

function hasExtension(content: Buffer, from: number, wanted: string): boolean {
  for (let at = from; at + 8 <= content.length; at += 8 + content.readUInt32BE(at + 4)) {
    if (content.toString("latin1", at, at + 4) === wanted) return true;
  }
  return false;
}
