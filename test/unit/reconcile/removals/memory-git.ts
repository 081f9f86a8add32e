import { AppError } from "../../../../src/core/errors.ts";
import { sha256Hex } from "../../../../src/core/digest.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../../../../src/git/git.ts";

export interface MemoryGit extends GitEngine {
  /** Commits on the one branch, oldest first. */
  readonly ids: readonly string[];
  /** Makes a commit with these files; returns its id. */
  commit(files: Readonly<Record<string, string>>, message: string): string;
}

/** A repository of one branch without merges, in memory. */
export function createMemoryGit(): MemoryGit {
  const commits = new Map<string, { readonly commit: Commit; readonly files: ReadonlyMap<string, TreeFile> }>();
  const blobs = new Map<string, Uint8Array>();
  const ids: string[] = [];
  const find = (id: string) => {
    const found = commits.get(id);
    if (!found) throw new AppError("E_GIT_OBJECT", `read commit ${id}`);
    return found;
  };
  const indexOf = (id: string | undefined): number => (id === undefined ? -1 : ids.indexOf(id));
  const refuse = (): never => {
    throw new Error("a run does not push here");
  };
  return {
    ids,
    url: "memory",
    commit: (contents, message) => {
      const id = sha256Hex(`commit ${ids.length}`).slice(0, 40);
      const files = new Map(
        Object.entries(contents)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([path, text]): [string, TreeFile] => {
            const blobId = sha256Hex(text).slice(0, 40);
            blobs.set(blobId, new TextEncoder().encode(text));
            return [path, { path, blobId, mode: "file" }];
          }),
      );
      const parent = ids.at(-1);
      const author = { name: "Test", email: "test@example.com" };
      const parents = parent === undefined ? [] : [parent];
      commits.set(id, { commit: { id, treeId: id, parents, author, committedAtMs: ids.length, message }, files });
      ids.push(id);
      return id;
    },
    fetchHead: () => Promise.resolve(ids.at(-1)),
    listBranches: () => Promise.resolve(new Map()),
    readCommit: async (id) => (await Promise.resolve(find(id))).commit,
    readSignature: () => Promise.resolve(undefined),
    isAncestor: (a, b) => Promise.resolve(indexOf(a) >= 0 && indexOf(a) <= indexOf(b)),
    listCommits: ({ from, to, limit = 1000 }) =>
      Promise.resolve(
        ids
          .slice(indexOf(from) + 1, indexOf(to) + 1)
          .reverse()
          .slice(0, limit)
          .map((id) => find(id).commit),
      ),
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
    readBlob: (id) => Promise.resolve(blobs.get(id) ?? new Uint8Array()),
    commitAndPush: refuse,
    deleteBranch: refuse,
    close: () => Promise.resolve(),
  };
}
