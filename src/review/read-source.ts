import type { Commit, TreeFile } from "../git/git.ts";
import type { ParsedFile, SourceDocument } from "../model/source.ts";
import type { Problem } from "../model/problem.ts";
import { mapConcurrently } from "../core/map-concurrently.ts";
import type { RepositorySize } from "../manifests/repository-size.ts";
import { addSizes, noFiles, sizeOfFile } from "../manifests/repository-size.ts";
import { findBrokenJson, withBrokenJson } from "./broken-json.ts";
import type { LastGoodOptions } from "./last-good.ts";
import { findLastGood } from "./last-good.ts";
import { hasErrors, parseBlob } from "./read-file.ts";

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

export interface SourceOptions extends LastGoodOptions {
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
  /** Whether files of this size together are read at all. */
  readonly fits: (size: RepositorySize) => boolean;
  readonly tooLargeRepository: (size: RepositorySize) => Problem;
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
  const read = await mapConcurrently(selected.files, concurrentReads, async (file): Promise<[string, ParsedFile][]> => {
    if (isTooLarge()) return [];
    const known = previous?.parsed.get(file.path);
    const same = known?.blobId === file.blobId ? known : options.recall?.(file);
    if (same === undefined) parsedCount += 1;
    const parsed = same ?? withBrokenJson(await parseBlob(file, options), known);
    size = addSizes(size, sizeOfFile(parsed));
    return [[file.path, parsed]];
  });
  if (isTooLarge()) {
    const pathProblems = [options.tooLargeRepository(size), ...selected.problems];
    const nothing = new Map<string, never>();
    return { commit, files: nothing, selection, parsed: nothing, lastGood: nothing, pathProblems, parsedCount };
  }
  const parsed = new Map(read.flat());
  const isOpen = (file: ParsedFile): boolean => file.isUnreadable === true && previous?.parsed.has(file.path) !== true;
  const unreadable = [...parsed.values()].filter(isOpen);
  for (const file of await findBrokenJson(unreadable, { head: commit, baseCommit }, options))
    parsed.set(file.path, file);
  const listRead = async (id: string): Promise<ReadonlySet<string>> => {
    const of = await options.selectFiles(await git.listFiles(id), readText);
    return new Set([...of.files.map(({ path }) => path), ...of.refused]);
  };
  const lastGood = await findLastGood(parsed, { head: commit, previous, baseCommit, listRead }, options);
  const { problems: pathProblems, refused: refusedPaths } = selected;
  return { commit, files, selection, parsed, lastGood, pathProblems, refusedPaths, parsedCount, size };
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
