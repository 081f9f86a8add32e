import type { Dirent } from "node:fs";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import { isAbsent, unreadable } from "../core/unreadable.ts";
import { objectIdOf } from "../git/objects/git-object.ts";
import type { ObjectFormat } from "../git/objects/git-object.ts";
import type { IgnoreRules } from "../git/local/ignore-rules.ts";
import type { TreeEntry } from "../manifests/select-files.ts";

/** Of a repository's own: a folder, or in a linked work tree and a submodule a file. */
const gitName = ".git";

/** Folders that never hold files of a fleet, unless git tracks some: the daemon reads each file of a commit. */
const skippedFolders = ["node_modules"];

/** A walk stops here: what is larger is no repository of a fleet. */
const maxEntries = 2_000_000;

interface Folder {
  readonly path: string;
  /** The same below the root as the system has it: a name need not be UTF-8. */
  readonly bytes: Buffer;
}

export interface ListOptions {
  /** What is left out. Default: nothing. */
  readonly rules?: IgnoreRules | undefined;
  /** Whether a folder below that cannot be read is listed as one, and the others are read. Default: it throws. */
  readonly isPatient?: boolean;
}

/**
 * Every file of a folder, git or not, as a tree has it: links are listed, not followed; a folder below with a repository of
 * its own is a submodule; bytes that are not UTF-8 show as U+FFFD.
 * @throws E_READ when a folder cannot be read
 */
export function listWorkTree(root: string, { rules, isPatient = false }: ListOptions = {}): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const folders: Folder[] = [{ path: "", bytes: Buffer.of() }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const items = readFolder(root, folder, isPatient);
    if (items === undefined) {
      entries.push({ path: folder.path, mode: "folder" });
      continue;
    }
    if (folder.path !== "" && items.some(isGit)) {
      entries.push({ path: folder.path, mode: "submodule" });
      continue;
    }
    for (const item of items) {
      if (isGit(item)) continue;
      const name = item.name.toString();
      const path = folder.path === "" ? name : `${folder.path}/${name}`;
      if (rules?.ignores(path, item.isDirectory()) === true) continue;
      if (item.isDirectory()) {
        const bytes = Buffer.concat([folder.bytes, Buffer.from("/"), item.name]);
        if (!skippedFolders.includes(name) || rules?.tracks(path) === true) folders.push({ path, bytes });
      } else if (item.isSymbolicLink() || item.isFile()) {
        entries.push({ path, mode: item.isSymbolicLink() ? "link" : "file" });
      }
      if (entries.length > maxEntries) {
        throw new AppError("E_TOO_MANY_FILES", `${root} has more than ${maxEntries} files`);
      }
    }
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function isGit({ name }: Dirent<Buffer>): boolean {
  return name.toString() === gitName;
}

/** Undefined for a folder below the root that cannot be read, where that is no error. */
function readFolder(root: string, { path, bytes }: Folder, isPatient: boolean): Dirent<Buffer>[] | undefined {
  try {
    return readdirSync(Buffer.concat([Buffer.from(root), bytes]), { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    // A folder below that was removed since its own folder was listed is not there.
    if (path !== "" && isAbsent(error)) return [];
    if (path !== "" && isPatient) return undefined;
    throw unreadable(join(root, path), error);
  }
}

/**
 * The bytes of a file, or undefined when it has more than `maximumBytes`. A link that took the place of the file, or of a
 * folder above it, after the folder was listed is not followed; nothing but a plain file is read.
 * @throws E_READ
 */
export function readWorkTreeFile(root: string, path: string, maximumBytes: number): Uint8Array | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new AppError("E_READ", `read ${path}: it is no plain file`);
    if (!isBelow(descriptor, root, path)) throw new AppError("E_READ", `read ${path}: a folder above it is a link`);
    if (stat.size > maximumBytes) return undefined;
    return readAtMost(descriptor, stat.size, maximumBytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadable(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Whether an open file is the one at a path without links below `root`, which may be a link itself. Linux names the file that was
 * opened; elsewhere the path is resolved again, and must lead to the same file.
 */
function isBelow(descriptor: number, root: string, pathBelow: string): boolean {
  const opened = pathOfOpened(descriptor);
  // No part of the path is a link, as nearly always: the root need not be resolved for each file.
  if (opened === resolve(root, pathBelow)) return true;
  const path = join(realpathSync(root), pathBelow);
  if (opened !== undefined) return opened === path;
  const [there, here] = [statSync(path), fstatSync(descriptor)];
  return realpathSync(path) === path && there.ino === here.ino && there.dev === here.dev;
}

function pathOfOpened(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined; // The system is not Linux, or has no /proc.
  }
}

/** To its end: the file may grow while it is read, and the size of some, such as those of /proc, is 0. */
function readAtMost(descriptor: number, expectedBytes: number, maximumBytes: number): Uint8Array | undefined {
  const buffer = new Uint8Array(Math.min(expectedBytes, maximumBytes) + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, length);
    length += count;
    // There was room for one byte more: it has not grown.
    if (count === 0 || length === expectedBytes) return buffer.subarray(0, length);
    if (length > maximumBytes) return undefined;
    if (length === buffer.length) return readAtMost(descriptor, maximumBytes, maximumBytes);
  }
}

/**
 * The id of a file's blob. One whose lines end in CRLF is the committed one with LF: git writes it so where it is configured to
 * (core.autocrlf, .gitattributes), and YAML has the same value. Source: gitattributes(5), End-of-line conversion.
 */
export function blobIdOfFile(bytes: Uint8Array, committed: string | undefined, format: ObjectFormat): string {
  const id = objectIdOf("blob", bytes, format);
  if (id === committed || !bytes.includes(0x0d)) return id;
  const withLf = Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return objectIdOf("blob", withLf, format) === committed ? committed : id;
}
