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

/** Of what is before, and of what is after. */
type Sides<T> = readonly [before: T, after: T];

interface Folder {
  readonly path: string;
  readonly isUnsafe: Sides<boolean>;
  readonly depth: number;
}

interface NamedEntry extends TreeEntry {
  /** The tree has this name more than once. Programs disagree which one counts, so what is reviewed may not be what is read. */
  readonly isRepeated?: true;
}

interface Walk extends WalkOptions {
  readonly changes: PathChange[];
  visited: number;
  /** Names of all folders until now. */
  compared: number;
}

type EntryPair = Sides<NamedEntry | undefined>;

// Trees name each other by hash, so there is no loop, but a hostile chain can have any depth.
const maximumDepth = 256;
/** Others have their turn after so many names: a folder may have a hundred thousand. */
const namesPerTurn = 1_000;
/** To note a name costs less than to compare it. */
const recordedPerTurn = 10_000;
const root: Folder = { path: "", isUnsafe: [false, false], depth: 0 };

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
  if (before === after && folder.isUnsafe[0] === folder.isUnsafe[1]) return;
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
    if (isUnchanged([left, right], folder)) continue;
    // Most entries are files: who waited for each of them would wait ten thousand times.
    const below = compareEntries([left, right], folder, walk);
    if (below) await below;
  }
}

function isUnchanged([left, right]: EntryPair, { isUnsafe }: Folder): boolean {
  if (left?.id !== right?.id || left?.modeText !== right?.modeText) return false;
  return left?.isRepeated === right?.isRepeated && isUnsafe[0] === isUnsafe[1];
}

/** Notes the files of a pair of entries; returns the walk through their folders, if they are any. */
function compareEntries([left, right]: EntryPair, folder: Folder, walk: Walk): Promise<void> | undefined {
  const name = (right ?? left)?.name ?? "";
  const path = folder.path === "" ? name : `${folder.path}/${name}`;
  const hasUnsafeName = isUnsafeName(name);
  const below: Folder = {
    path,
    isUnsafe: [
      folder.isUnsafe[0] || hasUnsafeName || left?.isRepeated === true,
      folder.isUnsafe[1] || hasUnsafeName || right?.isRepeated === true,
    ],
    depth: folder.depth + 1,
  };
  if (walk.filter.includesFile(path)) addChange([left, right], below, walk);
  const beforeTree = treeIdOf(left);
  const afterTree = treeIdOf(right);
  if ((beforeTree ?? afterTree) === undefined || !walk.filter.entersFolder(path)) return undefined;
  countVisit(walk);
  return compareFolders(beforeTree, afterTree, below, walk);
}

function addChange([left, right]: EntryPair, { path, isUnsafe }: Folder, walk: Walk): void {
  const before = left && toTreeFile(left, path, isUnsafe[0]);
  const after = right && toTreeFile(right, path, isUnsafe[1]);
  if (!before && !after) return;
  const isSame = before?.blobId === after?.blobId && before?.mode === after?.mode;
  if (isSame && before?.isUnsafe === after?.isUnsafe) return;
  countVisit(walk);
  walk.changes.push({ path, ...(before ? { before } : {}), ...(after ? { after } : {}) });
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

function toTreeFile(entry: TreeEntry, path: string, isUnsafe: boolean): TreeFile | undefined {
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

async function readByName(treeId: string | undefined, readTree: ReadTree): Promise<Map<string, NamedEntry>> {
  if (treeId === undefined) return new Map();
  const byName = new Map<string, NamedEntry>();
  for (const [index, entry] of (await readTree(treeId)).entries()) {
    byName.set(entry.rawName, byName.has(entry.rawName) ? { ...entry, isRepeated: true } : entry);
    if ((index + 1) % recordedPerTurn === 0) await setImmediate();
  }
  return byName;
}

/** Each name of the two folders once. */
function* namesOf(before: ReadonlyMap<string, TreeEntry>, after: ReadonlyMap<string, TreeEntry>): Iterable<string> {
  yield* before.keys();
  for (const name of after.keys()) if (!before.has(name)) yield name;
}
