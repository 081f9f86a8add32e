import type { Commit, GitEngine, TreeFile } from "../git/git.ts";
import type { ParsedFile, SourceDocument } from "../model/source.ts";
import type { Problem } from "../model/problem.ts";
import { AppError } from "../core/errors.ts";
import { mapConcurrently } from "../core/map-concurrently.ts";
import type { RepositorySize } from "../manifests/repository-size.ts";
import { addSizes, noFiles, sizeOfFile } from "../manifests/repository-size.ts";
import { withBrokenJson } from "./broken-json.ts";

/** A commit of the source branch with every file of ours parsed. Immutable; the next one shares what did not change. */
export interface SourceSnapshot {
  readonly commit: Commit;
  /** Files that are ours to read (by paths and .rollcallignore), by path. */
  readonly files: ReadonlyMap<string, TreeFile>;
  /** What chose them, besides the commit: `SourceOptions.selection`. */
  readonly selection?: string;
  readonly parsed: ReadonlyMap<string, ParsedFile>;
  /** The newest version without errors of files that have errors now. */
  readonly lastGood: ReadonlyMap<string, ParsedFile>;
  /** Problems of paths themselves: links, unsafe names, too many files. */
  readonly pathProblems: readonly Problem[];
  /** Files that may declare objects and are not read, for an error of their path. Default: none. */
  readonly refusedPaths?: readonly string[];
  /** How many files were parsed to get here from the snapshot before. */
  readonly parsedCount: number;
  /** All files together. Absent: not counted. */
  readonly size?: RepositorySize;
  /** What differs from the commit that was read before (`from`), when that is only the content of these files. */
  readonly replaced?: { readonly from: string; readonly files: readonly ReplacedFile[] };
}

/** A file with other content than in the commit before. */
export interface ReplacedFile {
  readonly before: ParsedFile;
  readonly after: ParsedFile;
}

export interface SourceOptions {
  readonly git: GitEngine;
  /** Chooses the files that are ours; reads .rollcallignore. */
  readonly selectFiles: (
    files: readonly TreeFile[],
    readText: (file: TreeFile) => Promise<string>,
  ) => Promise<{
    readonly files: readonly TreeFile[];
    readonly problems: readonly Problem[];
    readonly refused: readonly string[];
  }>;
  /**
   * Names what `selectFiles` depends on besides the tree: another one means that the same commit is read again. Default:
   * nothing.
   */
  readonly selection?: () => string;
  /** What the file said when its blob was parsed before, where that is remembered. Default: it is read. */
  readonly recall?: (file: TreeFile) => ParsedFile | undefined;
  readonly parseFile: (file: {
    readonly path: string;
    readonly blobId: string;
    readonly bytes: Uint8Array;
  }) => ParsedFile | Promise<ParsedFile>;
  /** Whether files of this size together are read at all. */
  readonly fits: (size: RepositorySize) => boolean;
  readonly tooLargeRepository: (size: RepositorySize) => Problem;
  /** The largest file that is read at all. */
  readonly maximumBytes: number;
  /** The file of a path that is too large to be read, as a parsed file with its problem. */
  readonly tooLarge: (file: TreeFile) => ParsedFile;
  /**
   * Whether a listed key vouches for the form that a file has in a commit: others are never its last good version. Default: no
   * signatures are asked for.
   */
  readonly isVouched?: (commit: string, path: string) => Promise<boolean>;
}

/** Blobs that are read at the same time: the disk answers while others are unpacked. */
const concurrentReads = 16;

/**
 * Reads a commit; none of its files when they are too large together. What the snapshot before holds under the same path
 * and blob id is taken over: the work follows the change. `baseCommit` is where versions without errors are looked up after
 * a restart.
 */
export async function readSource(
  commitId: string,
  previous: SourceSnapshot | undefined,
  baseCommit: string | undefined,
  options: SourceOptions,
): Promise<SourceSnapshot> {
  const { git } = options;
  const selection = options.selection?.() ?? "";
  if (previous?.commit.id === commitId && previous.selection === selection) return { ...previous, parsedCount: 0 };
  const commit = await git.readCommit(commitId);
  const tree = await git.listFiles(commitId);
  const readText = async (file: TreeFile): Promise<string> =>
    new TextDecoder().decode(await git.readBlob(file.blobId, { maximumBytes: options.maximumBytes }));
  const selected = await options.selectFiles(tree, readText);
  const files = new Map(selected.files.map((file) => [file.path, file]));
  let size = noFiles;
  let parsedCount = 0;
  const isTooLarge = (): boolean => !options.fits(size);
  const formerly = async (path: string): Promise<ParsedFile | undefined> =>
    baseCommit === undefined ? undefined : readFileAt(baseCommit, path, options);
  const read = await mapConcurrently(selected.files, concurrentReads, async (file): Promise<[string, ParsedFile][]> => {
    if (isTooLarge()) return [];
    const known = previous?.parsed.get(file.path);
    const same = known?.blobId === file.blobId ? known : options.recall?.(file);
    if (same === undefined) parsedCount += 1;
    const parsed = same ?? (await withBrokenJson(await parseBlob(file, options), () => known ?? formerly(file.path)));
    size = addSizes(size, sizeOfFile(parsed));
    return [[file.path, parsed]];
  });
  if (isTooLarge()) {
    const pathProblems = [options.tooLargeRepository(size), ...selected.problems];
    const nothing = new Map<string, never>();
    return { commit, files: nothing, selection, parsed: nothing, lastGood: nothing, pathProblems, parsedCount };
  }
  const parsed = new Map(read.flat());
  const lastGood = await findLastGood(parsed, { head: commit, previous, baseCommit }, options);
  const { problems: pathProblems, refused: refusedPaths } = selected;
  return { commit, files, selection, parsed, lastGood, pathProblems, refusedPaths, parsedCount, size };
}

/** The file of a tree, parsed, or as it is remembered. */
export async function readFile(file: TreeFile, options: SourceOptions): Promise<ParsedFile> {
  return options.recall?.(file) ?? parseBlob(file, options);
}

async function parseBlob(file: TreeFile, options: SourceOptions): Promise<ParsedFile> {
  try {
    const bytes = await options.git.readBlob(file.blobId, { maximumBytes: options.maximumBytes });
    return await options.parseFile({ path: file.path, blobId: file.blobId, bytes });
  } catch (error) {
    if (error instanceof AppError && error.code === "E_FILE_TOO_LARGE") return options.tooLarge(file);
    throw error;
  }
}

async function findLastGood(
  parsed: ReadonlyMap<string, ParsedFile>,
  { head, previous, baseCommit }: LastGoodPlace,
  options: SourceOptions,
): Promise<Map<string, ParsedFile>> {
  const lastGood = new Map<string, ParsedFile>();
  const history = firstParents(head, options.git);
  for (const file of parsed.values()) {
    if (!hasErrors(file)) continue;
    const known = await newestGood(file, { history, previous, baseCommit }, options);
    if (known) lastGood.set(file.path, known);
  }
  return lastGood;
}

interface LastGoodPlace {
  readonly head: Commit;
  readonly previous: SourceSnapshot | undefined;
  readonly baseCommit: string | undefined;
}

/** Heads that a branch had before are looked through up to this many. */
const longestSearch = 1000;

/**
 * The newest version of a file without errors among the commits that were the branch's head before: it depends on history
 * alone, so a restart and a plan from outside come to the same. What the snapshot before found is taken over.
 */
async function newestGood(
  file: ParsedFile,
  {
    history,
    previous,
    baseCommit,
  }: Omit<LastGoodPlace, "head"> & { readonly history: ReturnType<typeof firstParents> },
  options: SourceOptions,
): Promise<ParsedFile | undefined> {
  const { path } = file;
  let { blobId } = file;
  for (let steps = 1; steps <= longestSearch; steps += 1) {
    const commit = await history.at(steps);
    if (commit === undefined) break;
    if (commit === previous?.commit.id) {
      const before = previous.parsed.get(path);
      return before && hasErrors(before) ? previous.lastGood.get(path) : before;
    }
    const found = await findFile(commit, path, options.git);
    if (found === undefined) return undefined;
    if (found.blobId === blobId) continue;
    const candidate = await parseBlob(found, options);
    const isReadable = !hasErrors(candidate) && candidate.isUnreadable !== true;
    const isUsable = isReadable && ((await options.isVouched?.(commit, path)) ?? true);
    if (isUsable) return candidate;
    blobId = found.blobId;
  }
  return readAtBase(path, baseCommit, options);
}

/** The first parents of a commit, read one by one as they are asked for; undefined behind the last that is here. */
function firstParents(head: Commit, git: GitEngine): { at(steps: number): Promise<string | undefined> } {
  const ids: (string | undefined)[] = [head.id, head.parents[0]];
  return {
    async at(steps) {
      while (ids.length <= steps) {
        const last = ids.at(-1);
        ids.push(last === undefined ? undefined : await parentOf(last, git));
      }
      return ids[steps];
    },
  };
}

async function parentOf(id: string, git: GitEngine): Promise<string | undefined> {
  try {
    return (await git.readCommit(id)).parents[0];
  } catch (error) {
    // A shallow clone ends here.
    if (error instanceof AppError && error.code === "E_GIT_OBJECT") return undefined;
    throw error;
  }
}

async function findFile(commit: string, path: string, git: GitEngine): Promise<TreeFile | undefined> {
  try {
    return (await git.listFiles(commit, [path])).find((candidate) => candidate.path === path);
  } catch (error) {
    if (error instanceof AppError && error.code === "E_GIT_OBJECT") return undefined;
    throw error;
  }
}

/** Where history ends early, the applied commit has the last version that was good. */
async function readAtBase(
  path: string,
  baseCommit: string | undefined,
  options: SourceOptions,
): Promise<ParsedFile | undefined> {
  const candidate = baseCommit === undefined ? undefined : await readFileAt(baseCommit, path, options);
  return candidate === undefined || hasErrors(candidate) ? undefined : candidate;
}

/** A file of a commit, parsed; undefined when the commit or the file is not there. */
export async function readFileAt(
  commit: string,
  path: string,
  options: SourceOptions,
): Promise<ParsedFile | undefined> {
  const file = await findFile(commit, path, options.git);
  return file && parseBlob(file, options);
}

/** What an earlier commit had. */
export interface FilesBefore {
  /** Its files that changed since, parsed. */
  readonly changed: readonly ParsedFile[];
  /** Paths of its files that were not read then: the list of ignored files named them. */
  readonly unread: ReadonlySet<string>;
}

/** What an earlier commit had of the files that changed since (`changedPaths`), and what of it was not read. */
export async function readFilesBefore(
  commitId: string,
  changedPaths: ReadonlySet<string>,
  options: SourceOptions,
): Promise<FilesBefore> {
  const { git, maximumBytes } = options;
  const readText = async (file: TreeFile): Promise<string> =>
    new TextDecoder().decode(await git.readBlob(file.blobId, { maximumBytes }));
  const tree = await git.listFiles(commitId);
  const selected = await options.selectFiles(tree, readText);
  const read = new Set(selected.files.map(({ path }) => path));
  const changed: ParsedFile[] = [];
  for (const file of selected.files) if (changedPaths.has(file.path)) changed.push(await parseBlob(file, options));
  return { changed, unread: new Set(tree.flatMap(({ path }) => (read.has(path) ? [] : [path]))) };
}

export function hasErrors(file: ParsedFile): boolean {
  return file.problems.some(({ severity }) => severity === "error");
}

/** The Secrets that files declare, opened or not (`workspace/name`, or `name` without a namespace), with their blob ids. */
export function secretsOf(snapshot: SourceSnapshot | undefined): ReadonlyMap<string, string> {
  const documents = [...(snapshot?.parsed.values() ?? [])].flatMap((file) => file.documents);
  return new Map(
    documents
      .filter(({ object }) => object.apiVersion === "v1" && object.kind === "Secret")
      .map(({ object, blobId }) => [
        [object.metadata.namespace, object.metadata.name].join("/").replace(/^\//u, ""),
        blobId,
      ]),
  );
}

/**
 * The files as they are in force: of a file with errors, its good documents, and what its broken ones declared when they
 * were last good.
 */
export function filesInForce(snapshot: SourceSnapshot): ParsedFile[] {
  return [...snapshot.parsed.values()].map((file) => {
    const good = snapshot.lastGood.get(file.path);
    if (!good || !hasErrors(file)) return file;
    const present = new Set(file.documents.map(identityOf));
    const broken = new Set(file.brokenObjects);
    const kept = good.documents.filter((document) => {
      const identity = identityOf(document);
      return !present.has(identity) && (file.isUnidentified || broken.has(identity));
    });
    return kept.length === 0 ? file : { ...file, documents: [...file.documents, ...kept] };
  });
}

/** `Kind/namespace/name`, with an empty namespace where the file names none. */
function identityOf({ object }: SourceDocument): string {
  return `${object.kind}/${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
