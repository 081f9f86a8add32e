import { setImmediate } from "node:timers/promises";
import { assertNever } from "../../core/assert-never.ts";
import { AppError } from "../../core/errors.ts";
import type { PathChange, TreeFile } from "../git.ts";
import type { PathFilter } from "./path-filter.ts";
import { entryKind } from "./tree-entries.ts";
import type { TreeEntry } from "./tree-entries.ts";
import { isUnsafeName } from "./unsafe-name.ts";

/** Reads one tree's entries; the only access to the repository that walking needs. */
export type ReadTree = (treeId: string) => Promise<readonly TreeEntry[]>;

export interface WalkOptions {
  readonly readTree: ReadTree;
  readonly filter: PathFilter;
  /** Files and folders that may be visited before the walk gives up. */
  readonly maximumEntries: number;
}

interface Folder {
  readonly path: string;
  readonly isUnsafe: boolean;
  readonly depth: number;
}

interface Walk extends WalkOptions {
  readonly changes: PathChange[];
  visited: number;
  /** Names of all folders until now. */
  compared: number;
}

type EntryPair = readonly [before: TreeEntry | undefined, after: TreeEntry | undefined];

// Trees name each other by hash, so there is no loop, but a hostile chain can have any depth.
const maximumDepth = 256;
/** Others have their turn after so many names: a folder may have a hundred thousand. */
const namesPerTurn = 1_000;
/** To note a name costs less than to compare it. */
const recordedPerTurn = 10_000;
const root: Folder = { path: "", isUnsafe: false, depth: 0 };

/** Every file below a tree, sorted by path. @throws E_TOO_MANY_FILES, E_GIT_OBJECT, E_GIT_CORRUPT */
export async function listTreeFiles(treeId: string, options: WalkOptions): Promise<TreeFile[]> {
  const changes = await compareTrees(undefined, treeId, options);
  return changes.flatMap(({ after }) => (after ? [after] : []));
}

/**
 * The files that differ between two trees, sorted by path. Folders with equal ids are not entered, so that the work is
 * the changed files times their depth. A file whose mode alone changed differs too.
 * @throws E_TOO_MANY_FILES, E_GIT_OBJECT, E_GIT_CORRUPT
 */
export async function compareTrees(
  before: string | undefined,
  after: string | undefined,
  options: WalkOptions,
): Promise<PathChange[]> {
  const walk: Walk = { ...options, changes: [], visited: 0, compared: 0 };
  await compareFolders(before, after, root, walk);
  return walk.changes.sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
}

async function compareFolders(
  before: string | undefined,
  after: string | undefined,
  folder: Folder,
  walk: Walk,
): Promise<void> {
  if (before === after) return;
  if (folder.depth > maximumDepth) {
    throw new AppError("E_TOO_MANY_FILES", `read the tree: folders are nested deeper than ${maximumDepth}`);
  }
  const beforeByName = await readByName(before, walk.readTree);
  const afterByName = await readByName(after, walk.readTree);
  for (const key of namesOf(beforeByName, afterByName)) {
    const left = beforeByName.get(key);
    const right = afterByName.get(key);
    walk.compared += 1;
    if (walk.compared % namesPerTurn === 0) await setImmediate();
    if (left && right && left.id === right.id && left.modeText === right.modeText) continue;
    // Most entries are files: who waited for each of them would wait ten thousand times.
    const below = compareEntries([left, right], folder, walk);
    if (below) await below;
  }
}

/** Notes the files of a pair of entries; returns the walk through their folders, if they are any. */
function compareEntries([left, right]: EntryPair, folder: Folder, walk: Walk): Promise<void> | undefined {
  const name = (right ?? left)?.name ?? "";
  const path = folder.path === "" ? name : `${folder.path}/${name}`;
  const isUnsafe = folder.isUnsafe || isUnsafeName(name);
  const beforeTree = treeIdOf(left);
  const afterTree = treeIdOf(right);
  if (walk.filter.includesFile(path)) addChange([left, right], { path, isUnsafe }, walk);
  if (beforeTree === afterTree || !walk.filter.entersFolder(path)) return undefined;
  countVisit(walk);
  return compareFolders(beforeTree, afterTree, { path, isUnsafe, depth: folder.depth + 1 }, walk);
}

function addChange([left, right]: EntryPair, at: Pick<Folder, "path" | "isUnsafe">, walk: Walk): void {
  const before = left && toTreeFile(left, at);
  const after = right && toTreeFile(right, at);
  if (!before && !after) return;
  if (before && after && before.blobId === after.blobId && before.mode === after.mode) return;
  countVisit(walk);
  walk.changes.push({ path: at.path, ...(before ? { before } : {}), ...(after ? { after } : {}) });
}

function countVisit(walk: Walk): void {
  walk.visited += 1;
  if (walk.visited <= walk.maximumEntries) return;
  throw new AppError("E_TOO_MANY_FILES", `read the tree: more than ${walk.maximumEntries} files and folders`, {
    data: { maximumEntries: walk.maximumEntries },
  });
}

function treeIdOf(entry: TreeEntry | undefined): string | undefined {
  return entry && entryKind(entry) === "tree" ? entry.id : undefined;
}

function toTreeFile(entry: TreeEntry, { path, isUnsafe }: Pick<Folder, "path" | "isUnsafe">): TreeFile | undefined {
  const kind = entryKind(entry);
  switch (kind) {
    case "tree":
      return undefined;
    case "file":
    case "executable":
    case "link":
    case "submodule":
      return { path, blobId: entry.id, mode: kind, ...(isUnsafe ? { isUnsafe } : {}) };
    default:
      return assertNever(kind);
  }
}

async function readByName(treeId: string | undefined, readTree: ReadTree): Promise<Map<string, TreeEntry>> {
  if (treeId === undefined) return new Map();
  const byName = new Map<string, TreeEntry>();
  // A tree that has a name twice is malformed; the last one counts, as a checkout would leave it.
  for (const [index, entry] of (await readTree(treeId)).entries()) {
    byName.set(entry.rawName, entry);
    if ((index + 1) % recordedPerTurn === 0) await setImmediate();
  }
  return byName;
}

/** Each name of the two folders once. */
function* namesOf(before: ReadonlyMap<string, TreeEntry>, after: ReadonlyMap<string, TreeEntry>): Iterable<string> {
  yield* before.keys();
  for (const name of after.keys()) if (!before.has(name)) yield name;
}
