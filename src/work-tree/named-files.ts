import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { unreadable } from "../core/unreadable.ts";

/** What a person names of a fleet: a folder that is read whole, and which of its files he asks about. */
export interface NamedFiles {
  /** Absolute, or as it was given. */
  readonly dir: string;
  /** Files and folders below `dir`, with `/`. Default: all of them. */
  readonly paths?: readonly string[];
}

/**
 * Finds the folder to read for files that are named. One folder is that folder. Files and several folders are parts of the
 * work tree of git that holds them, since they are checked beside the other files; outside of one, of the folder that holds
 * them all.
 * @throws E_READ when one is not there
 */
export async function locateNamedFiles(given: readonly string[]): Promise<NamedFiles> {
  const [first = ".", ...more] = given;
  if (more.length === 0 && (await isFolder(first))) return { dir: first };
  const folders: string[] = [];
  for (const path of [first, ...more]) folders.push((await isFolder(path)) ? resolve(path) : dirname(resolve(path)));
  const common = folders.reduce(commonFolder);
  const dir = (await workTreeOf(common)) ?? common;
  return { dir, paths: [first, ...more].map((path) => relative(dir, resolve(path)).split(sep).join("/")) };
}

/** Whether a file, by its path below the folder, is one of those that were named. */
export function isNamed(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => path === "" || file === path || file.startsWith(`${path}/`));
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return found.isDirectory();
}

function commonFolder(left: string, right: string): string {
  let common = left;
  while (right !== common && !right.startsWith(common.endsWith(sep) ? common : common + sep)) common = dirname(common);
  return common;
}

/** The nearest folder at or above this one with a `.git`. */
async function workTreeOf(folder: string): Promise<string | undefined> {
  const isHere = await stat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
  if (isHere) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : workTreeOf(above);
}
