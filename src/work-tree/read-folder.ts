import { join } from "node:path";
import { compareNames } from "../core/compare-names.ts";
import { isAppError } from "../core/errors.ts";
import { reasonOfRead } from "../core/file-reasons.ts";
import type { ObjectFormat } from "../git/objects/git-object.ts";
import { objectIdOf } from "../git/objects/git-object.ts";
import { locateRepository } from "../git/local/local-repository.ts";
import type { IgnoreRules } from "../git/local/ignore-rules.ts";
import { openIgnoreRules } from "../git/local/ignore-rules.ts";
import type { WorkTreeIndex } from "../git/local/work-tree-index.ts";
import { mayBeSparse, readWorkTreeIndex } from "../git/local/work-tree-index.ts";
import { maxProblems } from "../manifests/bound-problems.ts";
import { maxFileBytes } from "../manifests/decode-text.ts";
import { maxLocatedLength } from "../manifests/locate-value.ts";
import type { FileParser } from "../manifests/parse-file.ts";
import type { RepositorySize } from "../manifests/repository-size.ts";
import {
  addSizes,
  isWithin,
  maxRepositorySize,
  noFiles,
  sizeOfFile,
  tooLargeRepository,
} from "../manifests/repository-size.ts";
import type { TreeEntry } from "../manifests/select-files.ts";
import {
  findIgnoreFile,
  ignoreFileName,
  maxIgnoreBytes,
  overlongIgnoreText,
  selectFiles,
  tooLargeFile,
  unreadFile,
} from "../manifests/select-files.ts";
import { suppressionMark } from "../manifests/suppressions.ts";
import type { Problem } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import { isInWorkTree } from "../system/in-work-tree.ts";
import type { FileBytes, LeftOutFiles } from "./changed-since.ts";
import type { ParseCache } from "./parse-cache.ts";
import { openParseCache } from "./parse-cache.ts";
import { listWorkTree, readWorkTreeFile } from "./read-work-tree.ts";

export interface FolderReading {
  readonly files: readonly ParsedFile[];
  /** Problems of paths themselves. */
  readonly problems: readonly Problem[];
  /** Whether a comment in one of the files suppresses a warning. */
  readonly hasSuppressions: boolean;
}

/** What git knows of a folder: which files were read before, what they contained, and which it leaves out. */
export interface KnownFiles extends LeftOutFiles {
  readonly format: ObjectFormat;
  readonly index: WorkTreeIndex | undefined;
  /** Undefined where it is not known which files git tracks: then none is left out. */
  readonly rules: IgnoreRules | undefined;
  readonly cache: ParseCache;
}

/**
 * Reads and parses the files of a folder. In a work tree of git, what was parsed before and is as it was is not read again, and
 * what git ignores is not read; files of other folders have an empty blob id. A file or folder that cannot be read is a problem
 * of its own. Files that are larger than {@link maxRepositorySize} together are none at all.
 * `onFile` is called after each file, with how many there are.
 * @throws E_READ when `dir` itself cannot be read
 */
export function readFolder(
  dir: string,
  parseFile: FileParser,
  known: KnownFiles | undefined,
  onFile: (done: number, total: number) => void = () => undefined,
): FolderReading {
  const entries = listWithLeftOut(dir, known);
  const { files, problems } = selectFiles(entries, { ignoreText: readIgnoreText(dir, entries, known?.leftOut) });
  let hasSuppressions = false;
  let errors = 0;
  let locatedLength = 0;
  const noting: FileParser = (file) => {
    // Of the errors, the first ones in the order of listings are kept.
    const isExact = errors < maxProblems && locatedLength < maxLocatedLength;
    const parsed = parseFile(file, { places: isExact ? "exact" : "documents" });
    // The parser gives places at once; a file that only the scanner read is parsed for them.
    if (parsed.problems.length > 0 && parsed.parsedPieces === 0) locatedLength += parsed.text.length;
    errors += parsed.problems.filter(({ severity }) => severity === "error").length;
    // Files with such comments are never kept, so that each of them is parsed here.
    hasSuppressions ||= parsed.text.includes(suppressionMark);
    return parsed;
  };
  let size: RepositorySize = noFiles;
  const read = new Map<string, ParsedFile>();
  for (const { path } of [...files].sort((a, b) => compareNames(a.path, b.path))) {
    const file = readFile(dir, path, { parseFile: noting, known });
    size = addSizes(size, sizeOfFile(file));
    if (!isWithin(size, maxRepositorySize))
      return { problems: [tooLargeRepository(size, maxRepositorySize), ...problems], files: [], hasSuppressions };
    read.set(path, file);
    onFile(read.size, files.length);
  }
  return { problems, files: files.flatMap(({ path }) => read.get(path) ?? []), hasSuppressions };
}

/**
 * Undefined where the folder is no work tree of git, or one that cannot be read here: then every file is read. Of what git
 * ignores, the paths that are `named` are read too.
 */
export async function openKnownFiles(dir: string, named: readonly string[] = []): Promise<KnownFiles | undefined> {
  return whereThereIsGit(async () => {
    const { format, commonDir } = await locateRepository(dir);
    const [index, cache] = await Promise.all([readWorkTreeIndex(dir, format), openCacheOf(commonDir)]);
    const rules = index && openIgnoreRules(dir, commonDir, [...index.paths, ...named]);
    return { format, index, rules, ...(await leftOutOf(dir, index)), cache };
  });
}

/** What git ignores in a folder, and leaves out of it; undefined as {@link openKnownFiles}. */
export async function openTrackedFiles(
  dir: string,
): Promise<Pick<KnownFiles, "rules" | keyof LeftOutFiles> | undefined> {
  return whereThereIsGit(async () => {
    const { format, commonDir } = await locateRepository(dir);
    const index = await readWorkTreeIndex(dir, format);
    return { rules: index && openIgnoreRules(dir, commonDir, index.paths), ...(await leftOutOf(dir, index)) };
  });
}

/** Every file that is there, and those that a sparse checkout leaves out. */
export function listWithLeftOut(dir: string, known?: Pick<KnownFiles, "rules" | "leftOut">): TreeEntry[] {
  const leftOut = [...(known?.leftOut.keys() ?? [])].map((path): TreeEntry => ({ path, mode: "file" }));
  const entries = [...listWorkTree(dir, { rules: known?.rules, isPatient: true }), ...leftOut];
  return leftOut.length === 0 ? entries : entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function leftOutOf(dir: string, index: WorkTreeIndex | undefined): Promise<LeftOutFiles> {
  if (index === undefined) return { leftOut: new Map(), isCut: await mayBeSparse(dir) };
  if (index.leftOut.size === 0) return { leftOut: new Map(), isCut: false };
  // What reads git takes longer to load than most folders to read.
  const { readLeftOutFiles } = await import("./changed-since.ts");
  return readLeftOutFiles(dir, index);
}

/** What was parsed before, for who reads commits and no work tree; undefined as {@link openKnownFiles}. */
export async function openKnownBlobs(dir: string): Promise<ParseCache | undefined> {
  return whereThereIsGit(async () => openCacheOf((await locateRepository(dir)).commonDir));
}

/** The same for who reads the copy of a remote repository in `folder`. In a work tree of git, nothing is read or written. */
export async function openBlobsOfCopy(folder: string): Promise<ParseCache | undefined> {
  return isInWorkTree(folder) ? undefined : openParseCache(folder);
}

function openCacheOf(commonDir: string): Promise<ParseCache> {
  return openParseCache(join(commonDir, "rollcall"));
}

async function whereThereIsGit<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (isAppError(error, "E_GIT_FOLDER", "E_READ", "E_UNSUPPORTED")) return undefined;
    throw error;
  }
}

function readFile(
  dir: string,
  path: string,
  { parseFile, known }: { readonly parseFile: FileParser; readonly known: KnownFiles | undefined },
): ParsedFile {
  const noted = known?.index?.blobIdOf(path);
  const recalled = noted === undefined ? undefined : known?.cache.recall(path, noted);
  if (recalled) return recalled;
  const bytes = known?.leftOut.has(path) ? (known.leftOut.get(path) ?? tooLargeFile(path, "")) : readBytes(dir, path);
  if (!(bytes instanceof Uint8Array)) return bytes;
  const blobId = known ? objectIdOf("blob", bytes, known.format) : "";
  const same = known?.cache.recall(path, blobId);
  if (same) return same;
  const file = parseFile({ path, blobId, bytes });
  known?.cache.keep(file);
  return file;
}

/** The bytes of a file; or the parsed file in its place, where it is too large or cannot be read. */
function readBytes(dir: string, path: string): Uint8Array | ParsedFile {
  try {
    return readWorkTreeFile(dir, path, maxFileBytes) ?? tooLargeFile(path, "");
  } catch (error) {
    if (!isAppError(error, "E_READ")) throw error;
    return unreadFile(path, reasonOfRead(error.cause) ?? "it cannot be read");
  }
}

/** The text of the file that ignores others; empty where there is none. */
export function readIgnoreText(dir: string, entries: readonly TreeEntry[], leftOut: FileBytes = new Map()): string {
  if (findIgnoreFile(entries) === undefined) return "";
  const bytes = leftOut.get(ignoreFileName) ?? readWorkTreeFile(dir, ignoreFileName, maxIgnoreBytes);
  return bytes === undefined ? overlongIgnoreText : new TextDecoder().decode(bytes);
}
