import * as fs from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCodeOf } from "../../core/errors.ts";

/** Without the objects that node:fs/promises makes for each open file: they cost more than a small file does. */
const [open, close, sync] = [promisify(fs.open), promisify(fs.close), promisify(fs.fsync)];
const [writeFile, readFile] = [promisify(fs.writeFile), promisify(fs.readFile)];

/**
 * Writes a file so that at every moment, a power cut included, either the old or the new content is there whole: to
 * `temporaryPath` (same file system), to the disk, and then by rename. `mode` defaults to 0o644.
 */
export async function writeFileDurably(
  path: string,
  content: string | Uint8Array,
  options: { readonly temporaryPath: string; readonly mode?: number },
): Promise<void> {
  const { temporaryPath, mode = 0o644 } = options;
  try {
    const file = await open(temporaryPath, "wx", mode);
    try {
      await writeFile(file, content);
      await sync(file);
    } finally {
      await close(file);
    }
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Brings a folder's entries to the disk: without it a rename may be undone by a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await sync(folder);
  } finally {
    await close(folder);
  }
}

/** The code of a file system error (`ENOENT`), or undefined for anything else. */
export function fileErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error ? errorCodeOf(error) : undefined;
}

/** The text of a file, or undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
