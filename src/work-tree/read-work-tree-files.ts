import * as fs from "node:fs";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import type { TreeFile } from "../git/git.ts";
import { openIgnoreRules } from "../git/local/ignore-rules.ts";
import { locateRepository } from "../git/local/local-repository.ts";
import { mayBeSparse, readWorkTreeIndex, trackedPaths } from "../git/local/work-tree-index.ts";
import { objectIdOf, zeroId } from "../git/objects/git-object.ts";
import { ignoreFileName, isManifestPath } from "../manifests/select-files.ts";
import { blobIdOfFile, listWorkTree, readWorkTreeFile } from "./read-work-tree.ts";

/** Larger files are not read. */
export const largestFileBytes = 1024 * 1024;

export interface WorkTreeFiles {
  /** Sorted by path, as a tree has them. */
  readonly files: readonly TreeFile[];
  /** Size in bytes of each file that is larger than {@link largestFileBytes}, by the id that replaces its blob's. */
  readonly tooLarge: ReadonlyMap<string, number>;
}

/**
 * The tree that `git add --all` would make of a folder, given that of the commit it has checked out. It reads only files that
 * may declare something of a fleet; all others are as committed, and so is what a sparse checkout leaves out. Files that git
 * does not know and ignores are not in it.
 * @throws E_GIT_FOLDER, E_READ; E_UNSUPPORTED where it is not known whether a file is deleted or left out
 */
export async function readWorkTreeFiles(dir: string, committed: readonly TreeFile[]): Promise<WorkTreeFiles> {
  const { format, commonDir } = await locateRepository(dir);
  const index = await readWorkTreeIndex(dir, format);
  const known = new Map(committed.map((file) => [file.path, file]));
  const submodules = committed.filter(({ mode }) => mode === "submodule").map(({ path }) => `${path}/`);
  const tooLarge = new Map<string, number>();
  const blobIdOf = (path: string): string => {
    const indexed = index?.blobIdOf(path);
    if (indexed !== undefined) return indexed;
    const bytes = readWorkTreeFile(dir, path, largestFileBytes);
    if (bytes !== undefined) return blobIdOfFile(bytes, known.get(path)?.blobId, format);
    const { size, mtimeMs } = fs.lstatSync(join(dir, path));
    const standIn = objectIdOf("blob", Buffer.from(`${path} ${size} ${mtimeMs}`), format);
    tooLarge.set(standIn, size);
    return standIn;
  };
  const rules = openIgnoreRules(dir, commonDir, trackedPaths(index, known.keys()));
  const entries = listWorkTree(dir, { rules });
  const there = new Set(entries.map(({ path }) => path));
  const isAbsent = ({ path, mode }: TreeFile): boolean => mode !== "submodule" && isRead(path) && !there.has(path);
  if (index === undefined && committed.some(isAbsent) && (await mayBeSparse(dir))) throw unknownIndex(dir);
  const files: TreeFile[] = committed.filter(
    ({ path, mode }) => mode === "submodule" || !isRead(path) || (!there.has(path) && index?.isLeftOut(path) === true),
  );
  for (const { path, mode } of entries) {
    if (
      !isRead(path) ||
      mode === "submodule" ||
      mode === "folder" ||
      submodules.some((folder) => path.startsWith(folder))
    )
      continue;
    const before = known.get(path);
    if (path.includes("\ufffd")) files.push(before ?? unreadable(path, format));
    else if (mode === "link") files.push(before?.mode === "link" ? before : { path, blobId: zeroId(format), mode });
    else files.push({ path, blobId: blobIdOf(path), mode: before?.mode === "executable" ? "executable" : "file" });
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), tooLarge };
}

/** A new file whose name is not UTF-8: nothing opens it by this path, and a plan reports that it was not read. */
function unreadable(path: string, format: Parameters<typeof zeroId>[0]): TreeFile {
  return { path, blobId: zeroId(format), mode: "file", isUnsafe: true };
}

function unknownIndex(dir: string): AppError {
  const text = `read ${dir}: it is a sparse checkout with an index that is not read here, so which files are deleted is not known`;
  const remedy = "Where the index is split: `git update-index --no-split-index` makes one file of it.";
  return new AppError("E_UNSUPPORTED", text, { remedy });
}

function isRead(path: string): boolean {
  return path === ignoreFileName || isManifestPath(path);
}
