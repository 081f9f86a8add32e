import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCodeOf } from "../core/errors.ts";

/**
 * Makes a folder and those above it, each with `mode` (default: as the process makes folders); one that is there stays as it is.
 * For folders that a user names: `mkdir` of Node.js 20 with `recursive` never ends where a file system takes no new folders and
 * returns ENOENT, as /proc does.
 * @throws the system's error, for instance EACCES, or EEXIST where a file has the name
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    // The root has no folder above it.
    if (errorCodeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST" || !(await stat(path)).isDirectory()) throw error;
  }
}
