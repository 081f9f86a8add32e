import { constants } from "node:fs";
import { open } from "node:fs/promises";
import process from "node:process";

/** Bits of a mode by which others may write. */
const writableByOthers = 0o022;

/**
 * The content of a file that only this user can have written: a plain file, no link, which the user owns and no other user may
 * write. Undefined for any other file, for one that has more than `maximumBytes`, and where there is none.
 */
export async function readOwnFile(path: string, maximumBytes: number): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    const isOwn = process.getuid === undefined || stats.uid === process.getuid();
    if (!stats.isFile() || !isOwn || (stats.mode & writableByOthers) !== 0 || stats.size > maximumBytes)
      return undefined;
    return await file.readFile();
  } finally {
    await file.close();
  }
}
