import { existsSync } from "node:fs";
import { join } from "node:path";
import { isAppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import { countOf, nameSome, oneOrMany } from "../core/count-of.ts";
import { compareNames } from "../core/compare-names.ts";
import type { GitEngine } from "../git/git.ts";
import { openIgnoreRules } from "../git/local/ignore-rules.ts";
import { locateRepository } from "../git/local/local-repository.ts";
import { resolveBranch } from "../git/local/resolve-revision.ts";
import { mayBeSparse, readWorkTreeIndex, trackedPaths } from "../git/local/work-tree-index.ts";
import type { TreeEntry } from "../manifests/select-files.ts";
import { blobIdOfFile, listWorkTree, readWorkTreeFile } from "./read-work-tree.ts";

/** Larger files are no files of a fleet. */
const largestBytes = 1024 * 1024;
const mostNames = 3;

interface CheckedOut {
  readonly dir: string;
  readonly head: string;
  /** Reads a file of the work tree. Default: {@link readWorkTreeFile}. */
  readonly readFile?: typeof readWorkTreeFile;
}

/**
 * What the checked-out folder holds that a plan of `head` does not: YAML files that differ from the commit, and commits that
 * `origin` does not have. Files that git's index knows are not read. Empty for a bare repository.
 */
export async function workTreeNotes(
  git: GitEngine,
  place: CheckedOut & { readonly branch: string },
): Promise<string[]> {
  const { dir, head, branch } = place;
  if (!existsSync(join(dir, ".git"))) return [];
  const differing = await differingFiles(git, place);
  return [
    ...(differing === undefined ? [] : [`${differing} Commit first.`]),
    ...(await pushNotes(git, { dir, head, branch })),
  ];
}

/**
 * What the clone in `dir` holds that a plan of `head`, the head of a branch of its remote, does not: files that differ. Empty
 * where the clone does not have that commit: it may be of another repository.
 */
export async function cloneNotes(git: GitEngine, place: CheckedOut): Promise<string[]> {
  try {
    await git.readCommit(place.head);
  } catch (error) {
    if (isAppError(error, "E_GIT_OBJECT")) return [];
    throw error;
  }
  const differing = await differingFiles(git, place);
  return differing === undefined ? [] : [`${differing} \`rollcall diff\` compares them with the hub.`];
}

/** Which YAML files of the work tree are other than those of the commit, as a sentence; undefined when none is. */
async function differingFiles(
  git: GitEngine,
  { dir, head, readFile = readWorkTreeFile }: CheckedOut,
): Promise<string | undefined> {
  const { format, commonDir } = await locateRepository(dir);
  const index = await readWorkTreeIndex(dir, format);
  // A file that is as git's index recorded it is not read.
  const isBlob = (path: string, blobId: string): boolean => {
    if (index?.blobIdOf(path) === blobId) return true;
    const present = bytesOf(readFile, dir, path);
    return present === undefined || blobIdOfFile(present, blobId, format) === blobId;
  };
  const committed = await listBlobs(git, head);
  const rules = openIgnoreRules(dir, commonDir, trackedPaths(index, committed.keys()));
  const present = listWorkTree(dir, { rules, isPatient: true });
  // Of a sparse checkout whose index is not read, it is not known.
  const isUnknown = index === undefined && (await mayBeSparse(dir));
  const changed = changedFiles(committed, present, isBlob).filter(
    (path) => !(index?.isLeftOut(path) ?? isUnknown) || existsSync(join(dir, path)),
  );
  if (changed.length === 0) return undefined;
  const count = changed.length;
  const differs = `${countOf(count, "file")} in the work tree ${oneOrMany(count, "differs", "differ")}`;
  return `${differs} from commit ${shortCommit(head)} and ${oneOrMany(count, "is", "are")} not part of this plan: ${nameSome(changed, mostNames)}.`;
}

async function pushNotes(
  git: GitEngine,
  { dir, head, branch }: { readonly dir: string; readonly head: string; readonly branch: string },
): Promise<string[]> {
  const pushed = await remoteHead(dir, branch);
  if (pushed === undefined)
    return [`This clone knows no branch ${branch} of origin: it is not known which commits are pushed.`];
  if (pushed === head || (await git.isAncestor(head, pushed))) return [];
  return [
    `Commit ${shortCommit(head)} is not on ${branch} of origin: the daemon does not see it before it is merged or pushed there.`,
  ];
}

async function listBlobs(git: GitEngine, head: string): Promise<ReadonlyMap<string, string>> {
  const files = await git.listFiles(head);
  return new Map(files.filter(({ mode }) => mode !== "link").map(({ path, blobId }) => [path, blobId]));
}

/** Of a file that cannot be read it is not known whether it differs: no note is about it. */
function bytesOf(readFile: typeof readWorkTreeFile, dir: string, path: string): Uint8Array | undefined {
  try {
    return readFile(dir, path, largestBytes);
  } catch (error) {
    if (isAppError(error, "E_READ")) return undefined;
    throw error;
  }
}

function isYaml(path: string): boolean {
  return /\.ya?ml$/u.test(path);
}

function changedFiles(
  committed: ReadonlyMap<string, string>,
  entries: readonly TreeEntry[],
  isBlob: (path: string, blobId: string) => boolean,
): string[] {
  const present = entries.flatMap(({ path, mode }) => (mode === "file" && isYaml(path) ? [path] : []));
  const there = new Set(present);
  const unread = entries.flatMap(({ path, mode }) => (mode === "folder" ? [`${path}/`] : []));
  const isUnread = (path: string): boolean => unread.some((folder) => path.startsWith(folder));
  const removed = [...committed.keys()].filter((path) => isYaml(path) && !there.has(path) && !isUnread(path));
  const different = present.filter((path) => {
    const blobId = committed.get(path);
    return blobId === undefined || !isBlob(path, blobId);
  });
  return [...removed, ...different].sort(compareNames);
}

async function remoteHead(dir: string, branch: string): Promise<string | undefined> {
  try {
    return await resolveBranch(`origin/${branch}`, dir);
  } catch (error) {
    if (isAppError(error, "E_GIT_BRANCH_MISSING")) return undefined;
    throw error;
  }
}
