import { realpath } from "node:fs/promises";
import { AppError } from "../core/errors.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../git/git.ts";
import { findGitDir, locateRepository } from "../git/local/local-repository.ts";
import { objectIdOf, objectTooLarge, zeroId } from "../git/objects/git-object.ts";
import { largestFileBytes, readWorkTreeFiles } from "./read-work-tree-files.ts";
import { readWorkTreeFile } from "./read-work-tree.ts";

/** A repository in which the work tree is a commit on top of what is checked out. */
export interface WorkTreeCommit {
  readonly git: GitEngine;
  /** Its id: zeros, as git writes what is not committed yet. */
  readonly commit: string;
  /** Files that differ from the commit below it, by path. */
  readonly changed: readonly string[];
}

/**
 * Lays the files of a folder over the commit `head` that it has checked out. Everything else comes from the repository, and
 * nothing is written.
 * @throws E_GIT_FOLDER for a folder that is no work tree; E_READ, E_UNSUPPORTED
 */
export async function commitOfWorkTree(git: GitEngine, dir: string, head: string): Promise<WorkTreeCommit> {
  const { format } = await locateRepository(dir);
  if ((await findGitDir(dir)) === (await realpath(dir))) {
    const remedy = "Name a clone of the repository: `git clone FOLDER` makes one.";
    throw new AppError("E_GIT_FOLDER", `read ${dir}: it is a bare repository, which has no work tree`, { remedy });
  }
  const id = zeroId(format);
  const below = await git.readCommit(head);
  const commit: Commit = { ...below, id, parents: [head], message: "The work tree.\n" };
  const committed = await git.listFiles(head);
  const { files, tooLarge } = await readWorkTreeFiles(dir, committed);
  const changed = differences(committed, files);
  const pathOf = new Map(changed.flatMap(({ path, after }) => (after ? [[after.blobId, path] as const] : [])));
  const listFiles: GitEngine["listFiles"] = async (from, paths) => {
    if (from !== id) return git.listFiles(from, paths);
    if (paths === undefined) return [...files];
    return files.filter(({ path }) => paths.some((place) => path === place || path.startsWith(`${place}/`)));
  };
  const overlaid: GitEngine = {
    ...git,
    listFiles,
    readCommit: async (of) => (of === id ? commit : git.readCommit(of)),
    readSignature: async (of) => (of === id ? undefined : git.readSignature(of)),
    isAncestor: async (ancestor, descendant) =>
      ancestor === descendant || (ancestor !== id && git.isAncestor(ancestor, descendant === id ? head : descendant)),
    listCommits: async (range) =>
      range.to === id ? [commit, ...(await git.listCommits({ ...range, to: head }))] : git.listCommits(range),
    changedPaths: async (from, to, paths) =>
      to === id
        ? differences(from === undefined ? [] : await listFiles(from, paths), await listFiles(to, paths))
        : git.changedPaths(from, to, paths),
    readBlob: async (blobId, options) => {
      const sizeBytes = tooLarge.get(blobId);
      if (sizeBytes !== undefined) throw objectTooLarge(blobId, sizeBytes, largestFileBytes);
      const path = pathOf.get(blobId);
      const bytes = path === undefined ? undefined : readWorkTreeFile(dir, path, largestFileBytes);
      const isThere = bytes !== undefined && objectIdOf("blob", bytes, format) === blobId;
      const maximumBytes = options?.maximumBytes ?? largestFileBytes;
      if (isThere && bytes.length > maximumBytes) throw objectTooLarge(blobId, bytes.length, maximumBytes);
      return isThere ? bytes : git.readBlob(blobId, options);
    },
  };
  return { git: overlaid, commit: id, changed: changed.map(({ path }) => path) };
}

/** Files that are not the same in both lists. */
function differences(before: readonly TreeFile[], after: readonly TreeFile[]): PathChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const there = new Set(after.map(({ path }) => path));
  const removed = before.filter(({ path }) => !there.has(path)).map((file) => ({ path: file.path, before: file }));
  const changed = after.flatMap((file): PathChange[] => {
    const known = old.get(file.path);
    if (known?.blobId === file.blobId && known.mode === file.mode) return [];
    return [{ path: file.path, ...(known ? { before: known } : {}), after: file }];
  });
  return [...removed, ...changed].sort((a, b) => (a.path < b.path ? -1 : 1));
}
