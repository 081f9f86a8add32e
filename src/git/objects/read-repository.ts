import { formatCommit, parseCommit, parseCommitSignature } from "./commit-format.ts";
import { isAncestorCommit, listCommitsBetween } from "./commit-history.ts";
import type { Commit, CommitRequest, GitEngine } from "../git.ts";
import { isMissingObject, malformedObject, nameObject, tagForCommit } from "./git-object.ts";
import type { NewObject, ObjectReader, ObjectType } from "./git-object.ts";
import { overlayTree } from "./overlay-tree.ts";
import { makePathFilter } from "./path-filter.ts";
import { parseTreeInTurns } from "./tree-entries.ts";
import type { ReadTree } from "./walk-trees.ts";
import { compareTrees, listTreeFiles } from "./walk-trees.ts";

/** The half of an engine that only reads objects: the same for all of them. */
export type RepositoryReader = Pick<
  GitEngine,
  "readCommit" | "readSignature" | "isAncestor" | "listCommits" | "listFiles" | "changedPaths" | "readBlob"
>;

/** A commit that is not pushed yet, with all objects that come with it. */
export interface PreparedCommit {
  readonly id: string;
  readonly objects: readonly NewObject[];
}

// A million entries would take hundreds of megabytes; fleets of ten thousand clusters need a tenth of this.
const defaultMaximumEntries = 200_000;
// Commits and trees are read whole, and real ones are far smaller.
const maximumStructureBytes = 64 * 1024 * 1024;

/** The reading methods of the port over a source of objects. `maximumEntries` bounds walks (default 200,000). */
export function readRepository(objects: ObjectReader, maximumEntries = defaultMaximumEntries): RepositoryReader {
  const readTree = makeReadTree(objects);
  const readKnownCommit = async (id: string): Promise<Commit | undefined> => {
    try {
      return await readCommit(objects, id);
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  };
  return {
    readCommit: (id) => readCommit(objects, id),
    readSignature: async (id) => parseCommitSignature(id, await readTyped(objects, id, "commit")),
    isAncestor: (ancestor, descendant) => isAncestorCommit(ancestor, descendant, readKnownCommit),
    listCommits: ({ from, limit = 1000, ...range }) =>
      listCommitsBetween({ ...range, from, limit, readCommit: readKnownCommit }),
    listFiles: async (commitId, paths) => {
      const { treeId } = await readCommit(objects, commitId);
      return listTreeFiles(treeId, { readTree, filter: makePathFilter(paths), maximumEntries });
    },
    changedPaths: async (from, to, paths) => {
      const before = from === undefined ? undefined : (await readCommit(objects, from)).treeId;
      const { treeId: after } = await readCommit(objects, to);
      return compareTrees(before, after, { readTree, filter: makePathFilter(paths), maximumEntries });
    },
    readBlob: (blobId, { maximumBytes } = {}) => readTyped(objects, blobId, "blob", maximumBytes),
  };
}

/**
 * The commit that a request asks for, on top of what `objects` has; undefined when it would change nothing.
 * @throws E_UNSAFE_PATH, E_USAGE, E_GIT_OBJECT
 */
export async function prepareCommit(
  objects: ObjectReader,
  request: CommitRequest,
): Promise<PreparedCommit | undefined> {
  const { parent, isRoot = false, changes, message, author, committer = author, committedAtMs, sign } = request;
  const { format } = objects;
  const baseTreeId = parent === undefined ? undefined : (await readCommit(objects, parent)).treeId;
  const readTree = (treeId: string): Promise<Uint8Array> => readTyped(objects, treeId, "tree");
  const tree = await overlayTree({ baseTreeId, changes, readTree, format });
  if (tree.treeId === baseTreeId && !isRoot) return undefined;
  const draft = {
    format,
    treeId: tree.treeId,
    parent: isRoot ? undefined : parent,
    author,
    committer,
    committedAtMs,
    message,
    ...(sign ? { sign } : {}),
  };
  const commit = nameObject("commit", await formatCommit(draft), format);
  return { id: commit.id, objects: [...tree.objects, commit] };
}

/** Where a request's branch must be for the push to happen; undefined when it must not exist. */
export function expectedHead({ parent, isNewBranch = false }: CommitRequest): string | undefined {
  return isNewBranch ? undefined : parent;
}

/** @throws E_GIT_OBJECT when the commit is not here or is something else */
export async function readCommit(objects: ObjectReader, id: string): Promise<Commit> {
  return parseCommit(id, await readTyped(objects, id, "commit"));
}

function makeReadTree(objects: ObjectReader): ReadTree {
  return async (treeId) => parseTreeInTurns(treeId, await readTyped(objects, treeId, "tree"), objects.format);
}

async function readTyped(
  objects: ObjectReader,
  id: string,
  type: ObjectType,
  maximumBytes?: number,
): Promise<Uint8Array> {
  const object = await objects.read(id, type === "blob" ? maximumBytes : maximumStructureBytes);
  if (object.type === "tag" && type === "commit") throw tagForCommit(id, object.content);
  if (object.type !== type) throw malformedObject(id, `a ${object.type} where a ${type} is expected`);
  return object.content;
}
