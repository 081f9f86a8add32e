import { existsSync, lstatSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { GitEngine, TreeFile } from "../git/git.ts";
import { openGitEngine } from "../git/engine/open-git-engine.ts";
import { resolveRevision } from "../git/local/resolve-revision.ts";
import type { WorkTreeIndex } from "../git/local/work-tree-index.ts";
import { isAppError } from "../core/errors.ts";
import { maxFileBytes } from "../manifests/decode-text.ts";
import {
  findIgnoreFile,
  ignoreFileName,
  maxIgnoreBytes,
  overlongIgnoreText,
  selectFiles,
  tooLargeFile,
} from "../manifests/select-files.ts";
import type { FileParser } from "../manifests/parse-file.ts";
import { maxRepositorySize } from "../manifests/repository-size.ts";
import type { ParsedFile } from "../model/source.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import { readWorkTreeFile } from "./read-work-tree.ts";

export interface BaseFiles {
  /** The files as the commit has them. What did not change is the very file that was given. */
  readonly files: readonly ParsedFile[];
  /** Paths of files that are new or differ now. */
  readonly changed: ReadonlySet<string>;
}

/** The bytes of files by path; undefined of one that is too large to be read. */
export type FileBytes = ReadonlyMap<string, Uint8Array | undefined>;

/** What a sparse checkout leaves out of a folder: each such file of a fleet, and the one that ignores others. */
export interface LeftOutFiles {
  readonly leftOut: FileBytes;
  /** Whether there may be more of them: of a partial clone, those that it does not have. Only git could fetch them. */
  readonly isCut: boolean;
}

/** Files of the index as they are staged; those of folders that it has whole, as committed. */
export async function readLeftOutFiles(dir: string, index: WorkTreeIndex): Promise<LeftOutFiles> {
  const git = await openFolder(dir);
  try {
    const staged = [...index.leftOut].flatMap(([path, { blobId, isPlainFile }]) =>
      isPlainFile ? [{ path, blobId, mode: "file" as const }] : [],
    );
    const hasFolders = [...index.leftOut.keys()].some((path) => path.endsWith("/"));
    const committed = hasFolders ? await ifHere(listHead(git, dir)) : [];
    const inFolders = (committed ?? []).filter(({ path }) => index.isLeftOut(path) && !index.leftOut.has(path));
    const tree = [...staged, ...inFolders].filter(({ path }) => !existsSync(join(dir, path)));
    const ignoreFile = findIgnoreFile(tree);
    const { files } = selectFiles(tree, { ignoreText: await ignoreTextOf(git, dir, ignoreFile?.blobId) });
    const leftOut = new Map<string, Uint8Array | undefined>();
    let isCut = committed === undefined;
    let sizeBytes = 0;
    for (const { path, blobId } of [...files, ...(ignoreFile ? [ignoreFile] : [])]) {
      const read = await ifHere(readBytes(git, blobId).then((content) => ({ content })));
      if (read === undefined) isCut = true;
      else leftOut.set(path, read.content);
      sizeBytes += read?.content?.length ?? 0;
      // With these alone, the repository is too large.
      if (sizeBytes > maxRepositorySize.bytes) return { leftOut, isCut: true };
    }
    return { leftOut, isCut };
  } finally {
    await git.close();
  }
}

async function listHead(git: GitEngine, dir: string): Promise<TreeFile[]> {
  return git.listFiles(await resolveRevision("HEAD", { path: dir, git }));
}

async function ignoreTextOf(git: GitEngine, dir: string, leftOut: string | undefined): Promise<string> {
  if (leftOut !== undefined) return (await ifHere(readIgnoreText(git, leftOut))) ?? "";
  if (lstatSync(join(dir, ignoreFileName), { throwIfNoEntry: false })?.isFile() !== true) return "";
  const bytes = readWorkTreeFile(dir, ignoreFileName, maxIgnoreBytes);
  return bytes === undefined ? overlongIgnoreText : new TextDecoder().decode(bytes);
}

/** Makes sure that a revision names a commit that is here. @throws as readBaseFiles */
export async function resolveBase(dir: string, revision: string): Promise<void> {
  const git = await openFolder(dir);
  try {
    await git.readCommit(await resolveRevision(revision, { path: dir, git }));
  } finally {
    await git.close();
  }
}

async function openFolder(dir: string): Promise<GitEngine> {
  // Used by native git alone, for repositories that need it.
  const cacheDir = await mkdtemp(join(tmpdir(), "rollcall-git-"));
  const removeCache = (): Promise<void> => rm(cacheDir, { recursive: true, force: true });
  try {
    const git = await openGitEngine({
      // The whole path: in the name of a folder from the current one, a colon or a space would make it an address.
      url: resolve(dir),
      cacheDir,
      isLocalAllowed: true,
      clock: realClock,
      random: realRandom,
    });
    const close = async () => {
      try {
        await git.close();
      } finally {
        await removeCache();
      }
    };
    return { ...git, close };
  } catch (error) {
    await removeCache();
    throw error;
  }
}

/**
 * The files of a commit beside those of the work tree, parsed only where they differ.
 * @throws E_GIT_FOLDER when the folder is no git repository's root; E_GIT_BRANCH_MISSING, E_GIT_OBJECT for an unknown commit
 */
export async function readBaseFiles(
  dir: string,
  revision: string,
  { now, parseFile }: { readonly now: readonly ParsedFile[]; readonly parseFile: FileParser },
): Promise<BaseFiles> {
  const git = await openFolder(dir);
  try {
    const commit = await resolveRevision(revision, { path: dir, git });
    const tree = await git.listFiles(commit);
    const ignoreFile = findIgnoreFile(tree);
    const ignoreText = ignoreFile ? await readIgnoreText(git, ignoreFile.blobId) : undefined;
    const selected = selectFiles(tree, ignoreText === undefined ? {} : { ignoreText });
    const before = new Map(selected.files.map(({ path, blobId }) => [path, blobId]));
    const same = new Map<string, ParsedFile>();
    const changed = new Set<string>();
    for (const file of now) {
      // A file that is too large to be read has no id.
      if (file.blobId !== "" && file.blobId === before.get(file.path)) same.set(file.path, file);
      else changed.add(file.path);
    }
    const files: ParsedFile[] = [];
    for (const [path, blobId] of before) {
      const known = same.get(path);
      files.push(known ?? (await readBlob(path, blobId)));
    }
    return { files, changed };

    async function readBlob(path: string, blobId: string): Promise<ParsedFile> {
      const bytes = await readBytes(git, blobId);
      return bytes === undefined ? tooLargeFile(path, blobId) : parseFile({ path, blobId, bytes });
    }
  } finally {
    await git.close();
  }
}

/** Undefined for what a partial clone does not have, and without a commit. */
async function ifHere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isAppError(error, "E_GIT_OBJECT", "E_GIT_BRANCH_MISSING")) return undefined;
    throw error;
  }
}

/** Undefined when it is too large. */
async function readBytes(git: GitEngine, blobId: string): Promise<Uint8Array | undefined> {
  try {
    return await git.readBlob(blobId, { maximumBytes: maxFileBytes });
  } catch (error) {
    if (isAppError(error, "E_FILE_TOO_LARGE")) return undefined;
    throw error;
  }
}

async function readIgnoreText(git: GitEngine, blobId: string): Promise<string> {
  try {
    return new TextDecoder().decode(await git.readBlob(blobId, { maximumBytes: maxIgnoreBytes }));
  } catch (error) {
    if (isAppError(error, "E_FILE_TOO_LARGE")) return overlongIgnoreText;
    throw error;
  }
}
