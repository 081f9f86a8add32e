import { isAppError } from "../core/errors.ts";
import { objectIdOf } from "../git/git-object.ts";
import type { GitEngine } from "../git/git.ts";
import { locateRepository } from "../git/local-repository.ts";
import { readWorkTreeFile } from "./read-work-tree.ts";

/** Larger blobs come from the repository. */
const largestBytes = 1024 * 1024;

/**
 * The engine of a folder with a work tree, which takes blobs of `commit` from the files that are checked out: they need not
 * be unpacked one by one. A file counts only when its content has the blob's id; everything else comes from the repository.
 */
export async function withWorkTreeBlobs(git: GitEngine, dir: string, commit: string): Promise<GitEngine> {
  const { format } = await locateRepository(dir);
  const paths = new Map<string, string>();
  for (const { path, blobId, mode, isUnsafe } of await git.listFiles(commit)) {
    if (mode === "file" && isUnsafe !== true) paths.set(blobId, path);
  }
  const readFile = (blobId: string): Uint8Array | undefined => {
    const path = paths.get(blobId);
    if (path === undefined) return undefined;
    try {
      const bytes = readWorkTreeFile(dir, path, largestBytes);
      return bytes !== undefined && objectIdOf("blob", bytes, format) === blobId ? bytes : undefined;
    } catch (error) {
      // Not checked out, or no plain file any more.
      if (isAppError(error, "E_READ")) return undefined;
      throw error;
    }
  };
  return {
    ...git,
    readBlob: async (blobId, options) => {
      const bytes = readFile(blobId);
      const isWithin = bytes !== undefined && bytes.length <= (options?.maximumBytes ?? Number.POSITIVE_INFINITY);
      return isWithin ? bytes : git.readBlob(blobId, options);
    },
  };
}
