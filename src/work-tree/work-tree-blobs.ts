import { isAppError } from "../core/errors.ts";
import { objectIdOf } from "../git/objects/git-object.ts";
import type { GitEngine } from "../git/git.ts";
import { locateRepository } from "../git/local/local-repository.ts";
import { readWorkTreeFile } from "./read-work-tree.ts";

/** Larger blobs come from the repository. */
const largestBytes = 1024 * 1024;

/** So many blobs are unpacked more quickly than the files of the commit are listed. */
const unpackedAtMost = 64;

/**
 * The engine of a folder with a work tree, which takes blobs of `commit` from the files that are checked out: they need not
 * be unpacked one by one. A file counts only when its content has the blob's id; everything else comes from the repository.
 */
export async function withWorkTreeBlobs(git: GitEngine, dir: string, commit: string): Promise<GitEngine> {
  const { format } = await locateRepository(dir);
  let unpacked = 0;
  let listing: Promise<ReadonlyMap<string, string>> | undefined;
  const readFile = (paths: ReadonlyMap<string, string>, blobId: string): Uint8Array | undefined => {
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
      unpacked += 1;
      if (unpacked <= unpackedAtMost) return git.readBlob(blobId, options);
      listing ??= listPaths(git, commit);
      const bytes = readFile(await listing, blobId);
      const isWithin = bytes !== undefined && bytes.length <= (options?.maximumBytes ?? Number.POSITIVE_INFINITY);
      return isWithin ? bytes : git.readBlob(blobId, options);
    },
  };
}

/** The path of each blob that the files of a commit are. */
async function listPaths(git: GitEngine, commit: string): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const { path, blobId, mode, isUnsafe } of await git.listFiles(commit)) {
    if (mode === "file" && isUnsafe !== true) paths.set(blobId, path);
  }
  return paths;
}
