import { existsSync, lstatSync } from "node:fs";
import { rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, describeError, errorCodeOf } from "../../core/errors.ts";
import { isDiskFull } from "../../core/is-disk-full.ts";
import { makeFolder } from "../../system/make-folder.ts";
import { openTrackedFiles } from "../../work-tree/read-folder.ts";

/**
 * Writes files by their paths below `dir`. Where one cannot be written, the others and their folders are removed again, and
 * `dir` too where it is new: the next try finds what this one found.
 * @throws as {@link writeNewFile}
 */
export async function writeAllOrNone(
  dir: string,
  files: ReadonlyMap<string, string>,
  { isNew }: { readonly isNew: boolean },
): Promise<void> {
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      await writeNewFile(dir, path, text);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) await rm(join(dir, path), { force: true });
    const folders = [...files.keys()].flatMap(foldersAbove).sort((one, other) => other.length - one.length);
    for (const folder of new Set(folders)) await removeIfEmpty(join(dir, folder));
    if (isNew) await removeIfEmpty(dir);
    throw error;
  }
}

/** `a/b` and `a`, of `a/b/c.yaml`. */
function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** A folder that cannot be removed stays: the error of the file that was not written is the one to report. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/**
 * Writes a file of the work tree `dir` that does not exist yet, and its folders.
 * @throws E_USAGE when it exists, E_SYMLINK when a folder above it is a link, E_DISK_WRITE when the disk is full, E_ACCESS when
 * it cannot be written for another reason
 */
export async function writeNewFile(dir: string, pathBelow: string, text: string): Promise<void> {
  refuseLinkedFolder(dir, pathBelow);
  const path = join(dir, pathBelow);
  try {
    await makeFolder(dirname(path));
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST")
      throw new AppError("E_USAGE", `${path} exists: ${otherName}`, { cause: error });
    const failure = explainUnwrittenFile(path, error);
    // The part that a full disk took is no file of the fleet.
    if (failure.code === "E_DISK_WRITE") await rm(path, { force: true });
    throw failure;
  }
}

/** The error of a command that cannot write a file. A full disk has another remedy than a missing right. */
export function explainUnwrittenFile(path: string, error: unknown): AppError {
  const code = isDiskFull(error) ? "E_DISK_WRITE" : "E_ACCESS";
  return new AppError(code, `write ${path}: ${describeError(error)}`, { cause: error });
}

/**
 * Before something else is made that the file is for.
 * @throws E_USAGE when there is one of this name, also one that a sparse checkout leaves out: the next commit would have the new
 * file in its place; E_SYMLINK as {@link refuseLinkedFolder}
 */
export async function refuseOccupied(dir: string, pathBelow: string, remedy = otherName): Promise<void> {
  refuseLinkedFolder(dir, pathBelow);
  const path = join(dir, pathBelow);
  if (existsSync(path)) throw new AppError("E_USAGE", `${path} exists: ${remedy}`);
  const known = await openTrackedFiles(dir);
  if (known?.leftOut.has(pathBelow) === true)
    throw new AppError("E_USAGE", `${path} is left out of this sparse checkout: ${remedy}`);
}

const otherName = "choose another name, or edit the file";

/**
 * Files below a linked folder are not read, and may be those of another repository.
 * @throws E_SYMLINK
 */
export function refuseLinkedFolder(dir: string, path: string): void {
  const folder = foldersAbove(path).find((above) => isLink(join(dir, above)));
  if (folder === undefined) return;
  const remedy = "Put a folder in the place of the link, or name the work tree that it leads to.";
  const what = `write ${join(dir, path)}: ${folder} is a symbolic link; files below it are not read`;
  throw new AppError("E_SYMLINK", what, { remedy });
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
