import { AppError } from "../core/errors.ts";
import type { GitEngine, TreeFile } from "../git/git.ts";
import type { ParsedFile } from "../model/source.ts";

export interface FileOptions {
  readonly git: GitEngine;
  /** What the file contained when its blob was parsed before, where that is remembered. Default: it is read. */
  readonly recall?: (file: TreeFile) => ParsedFile | undefined;
  readonly parseFile: (file: {
    readonly path: string;
    readonly blobId: string;
    readonly bytes: Uint8Array;
  }) => ParsedFile | Promise<ParsedFile>;
  /** The largest file that is read at all. */
  readonly maximumBytes: number;
  /** The file of a path that is too large to be read, as a parsed file with its problem. */
  readonly tooLarge: (file: TreeFile) => ParsedFile;
}

/** The file of a tree, parsed, or as it is remembered. */
export async function readFile(file: TreeFile, options: FileOptions): Promise<ParsedFile> {
  return options.recall?.(file) ?? parseBlob(file, options);
}

/** The file of a tree, parsed anew. */
export async function parseBlob(file: TreeFile, options: FileOptions): Promise<ParsedFile> {
  try {
    const bytes = await options.git.readBlob(file.blobId, { maximumBytes: options.maximumBytes });
    return await options.parseFile({ path: file.path, blobId: file.blobId, bytes });
  } catch (error) {
    if (error instanceof AppError && error.code === "E_FILE_TOO_LARGE") return options.tooLarge(file);
    throw error;
  }
}

/** A file of a commit, parsed; undefined when the commit or the file is not there. */
export async function readFileAt(commit: string, path: string, options: FileOptions): Promise<ParsedFile | undefined> {
  const file = await findFile(commit, path, options.git);
  return file && parseBlob(file, options);
}

async function findFile(commit: string, path: string, git: GitEngine): Promise<TreeFile | undefined> {
  try {
    const files = await git.listFiles(commit, [path]);
    return files.find((candidate) => candidate.path === path && isPlainFile(candidate));
  } catch (error) {
    if (error instanceof AppError && error.code === "E_GIT_OBJECT") return undefined;
    throw error;
  }
}

/** False for links and submodules, and for a name with a slash in it, which has the path of a file in a folder. */
export function isPlainFile({ mode, isUnsafe }: TreeFile): boolean {
  return (mode === "file" || mode === "executable") && isUnsafe !== true;
}

export function hasErrors(file: ParsedFile): boolean {
  return file.problems.some(({ severity }) => severity === "error");
}
