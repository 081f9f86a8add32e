import { createHash } from "node:crypto";
import { Chunks } from "../../src/core/chunks.ts";
import type { Commit, NewContent, TreeFile } from "../../src/git/git.ts";
import { objectIdOf } from "../../src/git/objects/git-object.ts";

/** A commit with its tree: every file by path. */
export interface StoredCommit {
  readonly commit: Commit;
  readonly files: ReadonlyMap<string, TreeFile>;
}

/** The objects of one repository. They are never changed: each is found by the digest of what it is. */
export interface GitObjects {
  readonly commits: ReadonlyMap<string, StoredCommit>;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** Makes a commit on top of `parents` with `changes` (null removes a file); the id of the first parent if nothing changes. */
  commit(request: NewCommit): string;
  /** The commit and everything that it is built on. */
  ancestorsOf(id: string | undefined): ReadonlySet<string>;
}

export interface NewCommit {
  readonly parents: readonly string[];
  readonly changes: ReadonlyMap<string, NewContent>;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly committedAtMs: number;
  /** A commit that changes nothing is made, too. Default false. */
  readonly allowsEmpty?: boolean;
}

export function createGitObjects(): GitObjects {
  const commits = new Map<string, StoredCommit>();
  const blobs = new Map<string, Uint8Array>();
  const ancestors = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (id: string | undefined): ReadonlySet<string> => {
    if (id === undefined) return new Set();
    const known = ancestors.get(id);
    if (known !== undefined) return known;
    const found = new Set([id]);
    const open = [...(commits.get(id)?.commit.parents ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(commits.get(next)?.commit.parents ?? []));
    }
    ancestors.set(id, found);
    return found;
  };
  return {
    commits,
    blobs,
    ancestorsOf,
    commit: ({ parents, changes, message, author, committedAtMs, allowsEmpty = false }) => {
      const [first] = parents;
      const before = first === undefined ? new Map<string, TreeFile>() : (commits.get(first)?.files ?? new Map());
      const files = new Map(before);
      for (const [path, content] of changes) {
        if (content === null) {
          files.delete(path);
          continue;
        }
        const bytes = content instanceof Chunks ? Buffer.concat(content.parts) : Buffer.from(content);
        const blobId = objectIdOf("blob", bytes, "sha1");
        blobs.set(blobId, bytes);
        files.set(path, { path, blobId, mode: "file" });
      }
      const sorted = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
      const treeId = treeIdOf(sorted);
      if (first !== undefined && !allowsEmpty && treeId === treeIdOf(before)) return first;
      const id = digest(JSON.stringify([treeId, parents, message, author, committedAtMs]));
      const commit = { id, treeId, parents: [...parents], author, committedAtMs, message };
      commits.set(id, { commit, files: sorted });
      return id;
    },
  };
}

function treeIdOf(files: ReadonlyMap<string, TreeFile>): string {
  return digest(JSON.stringify([...files.values()].map(({ path, blobId }) => [path, blobId])));
}

/** As long as an id of git. */
function digest(content: string | Uint8Array): string {
  return createHash("sha1").update(content).digest("hex");
}
