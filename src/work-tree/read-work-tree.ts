import type { Dirent } from "node:fs";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { AppError, describeError } from "../core/errors.ts";
import type { TreeEntry } from "../manifests/select-files.ts";

/** Folders that never hold files of a fleet. */
const skippedFolders = [".git", "node_modules"];

/** A walk stops here: what is larger is no repository of a fleet. */
const maxEntries = 2_000_000;

/**
 * Every file of a folder, git or not, as a tree has it: links are listed, not followed.
 * @throws E_READ when a folder cannot be read
 */
export function listWorkTree(root: string): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const item of readFolder(root, folder)) {
      const path = folder === "" ? item.name : `${folder}/${item.name}`;
      if (item.isDirectory()) {
        if (!skippedFolders.includes(item.name)) folders.push(path);
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

function readFolder(root: string, folder: string): Dirent[] {
  const path = join(root, folder);
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    throw new AppError("E_READ", `read folder ${path}: ${describeError(error)}`, { cause: error });
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
    if (!isAtPath(descriptor, join(realpathSync(root), path)))
      throw new AppError("E_READ", `read ${path}: a folder above it is a link`);
    if (stat.size > maximumBytes) return undefined;
    return readAtMost(descriptor, stat.size, maximumBytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("E_READ", `read ${path}: ${describeError(error)}`, { cause: error });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Whether an open file is the one at a path without links. Linux names the file that was opened; elsewhere the path is
 * resolved again, and must lead to the same file.
 */
function isAtPath(descriptor: number, path: string): boolean {
  const opened = `/proc/self/fd/${descriptor}`;
  if (existsSync(opened)) return readlinkSync(opened) === path;
  const [there, here] = [statSync(path), fstatSync(descriptor)];
  return realpathSync(path) === path && there.ino === here.ino && there.dev === here.dev;
}

/** The file may grow while it is read. */
function readAtMost(descriptor: number, expectedBytes: number, maximumBytes: number): Uint8Array | undefined {
  const buffer = new Uint8Array(Math.min(expectedBytes, maximumBytes) + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, length);
    if (count === 0) return buffer.subarray(0, length);
    length += count;
    if (length > maximumBytes) return undefined;
    if (length === buffer.length) {
      const rest = readAtMost(descriptor, maximumBytes, maximumBytes);
      return rest;
    }
  }
}
