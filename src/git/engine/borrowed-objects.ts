import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { LocalRepository } from "../local/local-repository.ts";
import { isMissingObject, isObjectId } from "../objects/git-object.ts";
import type { ObjectReader } from "../objects/git-object.ts";
import type { NativeCopy } from "./native-copy.ts";
import type { NativeGit } from "./native-git.ts";
import { openNativeObjects } from "./native-objects.ts";
import type { NativeObjects } from "./native-objects.ts";

export interface BorrowedObjectsOptions {
  readonly git: NativeGit;
  /** Locked by the caller. */
  readonly folder: string;
  readonly repository: Pick<LocalRepository, "objectDirs" | "format">;
}

/**
 * All objects of a repository in a folder of this machine, whether a branch that was fetched has them or not. An empty repository
 * of our own borrows them, so that nothing of the other one's configuration plays a part. It is made at the first read.
 */
export function openBorrowedObjects({ git, folder, repository }: BorrowedObjectsOptions): NativeObjects {
  const { objectDirs, format } = repository;
  const gitDir = join(folder, "borrowing.git");
  let opened: Promise<NativeObjects> | undefined;
  const open = async (): Promise<NativeObjects> => {
    await rm(gitDir, { recursive: true, force: true });
    const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, "--", gitDir];
    const { exitCode } = await git.run({ args });
    if (exitCode !== 0) throw new AppError("E_UNSUPPORTED", `read ${format} objects: this git cannot do it`);
    const places = objectDirs.map((dir) => `${join(dir, "objects")}\n`);
    await writeFile(join(gitDir, "objects", "info", "alternates"), places.join(""));
    return openNativeObjects(git, gitDir, format);
  };
  return {
    format,
    read: async (id, maximumBytes) => (await (opened ??= open())).read(id, maximumBytes),
    has: async (id) => (await (opened ??= open())).has(id),
    stop: async () => (await opened)?.stop(),
  };
}

/** Those of the copy, and what it does not have from the other reader. */
export function withBorrowed(objects: ObjectReader, { copy, borrowed }: CopyAndBorrowed): ObjectReader {
  return {
    // The repository may have been made again with ids of another form.
    get format() {
      return copy.isThere() ? objects.format : borrowed.format;
    },
    read: async (id, maximumBytes) => {
      try {
        return await objects.read(id, maximumBytes);
      } catch (error) {
        if (!isMissingObject(error) || !isObjectId(id, borrowed.format)) throw error;
        return borrowed.read(id, maximumBytes);
      }
    },
    has: async (id) => (await objects.has(id)) || (isObjectId(id, borrowed.format) && (await borrowed.has(id))),
  };
}

interface CopyAndBorrowed {
  readonly copy: Pick<NativeCopy, "isThere">;
  readonly borrowed: ObjectReader;
}
