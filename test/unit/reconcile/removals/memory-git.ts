import { AppError } from "../../../../src/core/errors.ts";
import { sha256Hex } from "../../../../src/core/digest.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../../../../src/git/git.ts";

export interface MemoryGit extends GitEngine {
  /** Every commit, in the order in which they were made. */
  readonly ids: readonly string[];
  /** Makes a commit with these files; returns its id. The branch moves to it, unless it is a commit beside the branch. */
  commit(files: Readonly<Record<string, string>>, message: string, place?: CommitPlace): string;
  /** Moves the branch to any commit, as a force-push does. */
  moveTo(id: string): void;
}

export interface CommitPlace {
  /** Default: the head of the branch. */
  readonly parents?: readonly string[];
  readonly isBeside?: boolean;
  /** Default: a person. */
  readonly author?: Commit["author"];
}

/** A file whose text begins so is a symbolic link. */
const linkMark = "-> ";
/** A file with this text is a submodule: its commit is not in this repository. */
const submoduleText = "submodule";
const person = { name: "Test", email: "test@example.com" };

/** A repository in memory: one branch, and commits beside it that may be merged. */
export function createMemoryGit(): MemoryGit {
  const commits = new Map<string, { readonly commit: Commit; readonly files: ReadonlyMap<string, TreeFile> }>();
  const blobs = new Map<string, Uint8Array>();
  const ids: string[] = [];
  const find = (id: string) => {
    const found = commits.get(id);
    if (!found) throw new AppError("E_GIT_OBJECT", `read commit ${id}`);
    return found;
  };
  const ancestorsOf = (id: string | undefined): Set<string> => {
    const found = new Set<string>();
    const open = id === undefined ? [] : [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...find(next).commit.parents);
    }
    return found;
  };
  let head: string | undefined;
  const refuse = (): never => {
    throw new Error("a run does not push here");
  };
  return {
    ids,
    url: "memory",
    commit: (
      contents,
      message,
      { parents = head === undefined ? [] : [head], isBeside = false, author = person } = {},
    ) => {
      const id = sha256Hex(`commit ${ids.length}`).slice(0, 40);
      const files = new Map(
        Object.entries(contents)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([path, text]): [string, TreeFile] => {
            const blobId = sha256Hex(text).slice(0, 40);
            const isSubmodule = text === submoduleText;
            if (!isSubmodule) blobs.set(blobId, new TextEncoder().encode(text));
            return [
              path,
              { path, blobId, mode: isSubmodule ? "submodule" : text.startsWith(linkMark) ? "link" : "file" },
            ];
          }),
      );
      commits.set(id, { commit: { id, treeId: id, parents, author, committedAtMs: ids.length, message }, files });
      ids.push(id);
      if (!isBeside) head = id;
      return id;
    },
    moveTo: (id) => {
      head = find(id).commit.id;
    },
    fetchHead: () => Promise.resolve(head),
    listBranches: () => Promise.resolve(new Map()),
    readCommit: async (id) => (await Promise.resolve(find(id))).commit,
    readSignature: () => Promise.resolve(undefined),
    isAncestor: (a, b) => Promise.resolve(ancestorsOf(b).has(a)),
    listCommits: ({ from, to, limit = 1000 }) => {
      const old = ancestorsOf(from);
      const fresh = [...ancestorsOf(to)].filter((id) => !old.has(id)).map((id) => find(id).commit);
      return Promise.resolve(fresh.sort((a, b) => b.committedAtMs - a.committedAtMs).slice(0, limit));
    },
    listFiles: async (id, paths) => {
      const { files } = await Promise.resolve(find(id));
      return [...files.values()].filter(({ path }) => paths === undefined || paths.includes(path));
    },
    changedPaths: async (from, to) => {
      const after = (await Promise.resolve(find(to))).files;
      const before = from === undefined ? new Map<string, TreeFile>() : find(from).files;
      return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): PathChange[] => {
        const [old, now] = [before.get(path), after.get(path)];
        if (old?.blobId === now?.blobId) return [];
        return [{ path, ...(old ? { before: old } : {}), ...(now ? { after: now } : {}) }];
      });
    },
    readBlob: async (id) => {
      const found = await Promise.resolve(blobs.get(id));
      if (found === undefined) throw new AppError("E_GIT_OBJECT", `read blob ${id}`);
      return found;
    },
    commitAndPush: refuse,
    moveBranch: refuse,
    deleteBranch: refuse,
    close: () => Promise.resolve(),
  };
}
