// git: reads commits of a repository and pushes commits of our own, without a work tree. This file is its port; the
// engines (isomorphic-git, native git) are beside it and keep one contract (test/contract/git).
import type { Chunks } from "../core/chunks.ts";
import { isAppError } from "../core/errors.ts";

export interface Commit {
  readonly id: string;
  readonly treeId: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string };
  /** Committer time, in milliseconds since the epoch. */
  readonly committedAtMs: number;
  /** The whole message. */
  readonly message: string;
}

/** What a signed commit's signature covers. */
export interface CommitSignature {
  /** The commit's bytes without the signature. */
  readonly payload: Uint8Array;
  /** Armoured, as it is in the commit (SSH or OpenPGP). */
  readonly armoured: string;
}

/** A file in a tree. */
export interface TreeFile {
  /** With forward slashes, relative to the root. Bytes that are not UTF-8 show as U+FFFD, and make it unsafe. */
  readonly path: string;
  readonly blobId: string;
  /** `link` is a symbolic link, `submodule` a gitlink: both are reported, never followed. */
  readonly mode: "file" | "executable" | "link" | "submodule";
  /**
   * True when a part of the path must never reach a file system: empty, `.`, `..`, `.git` and the names that some systems
   * equate with it, or a name with a slash, backslash, control character or bytes that are not UTF-8, or that its folder has
   * more than once. Only a tree's reader distinguishes a slash within a name from a folder.
   */
  readonly isUnsafe?: boolean;
}

export interface PathChange {
  readonly path: string;
  readonly before?: TreeFile;
  readonly after?: TreeFile;
}

/** Fetches and pushes of one engine run one after the other, in the order they are asked for; reads run beside them. */
export interface GitEngine {
  /** The remote's address without credentials, for messages. */
  readonly url: string;
  /**
   * Asks the remote for the newest commit of `branch` and makes its objects readable here.
   * Undefined when the branch does not exist or the repository is empty.
   * @throws E_GIT_REMOTE, E_GIT_AUTH, E_GIT_PROTOCOL, E_GIT_CORRUPT
   */
  fetchHead(branch: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * The branches of the remote by name (without `refs/heads/`) and the commit that each is at. Nothing is brought here: a
   * branch's commit is read after `fetchHead`. Names may be any text that a server gives.
   * @throws E_GIT_REMOTE, E_GIT_AUTH, E_GIT_PROTOCOL
   */
  listBranches(signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** @throws E_GIT_OBJECT when the commit is not here. */
  readCommit(id: string): Promise<Commit>;
  /**
   * The signature of a commit and what it covers, unverified; undefined when it is not signed.
   * @throws E_GIT_OBJECT when the commit is not here.
   */
  readSignature(id: string): Promise<CommitSignature | undefined>;
  /** True when `ancestor` is `descendant` or reachable from it; false also when it is unknown here. */
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /**
   * Commits reachable from `to` and not from `from`, newest first, at most `limit` (default 1000). A `from` that is
   * unknown here excludes nothing.
   * @throws E_BRANCH_LIMIT beyond `maximumVisits`
   */
  listCommits(range: CommitRange): Promise<Commit[]>;
  /**
   * Every file of a commit's tree (optionally below one of `paths`, which are literal), sorted by path.
   * @throws E_TOO_MANY_FILES beyond the engine's bound, so that nested copies of one tree cannot make it endless
   */
  listFiles(commitId: string, paths?: readonly string[]): Promise<TreeFile[]>;
  /**
   * Files that differ between two commits (optionally below one of `paths`), sorted by path, by comparing trees: the work
   * follows the change. Without `from`, all are new.
   * @throws E_TOO_MANY_FILES beyond the engine's bound
   */
  changedPaths(from: string | undefined, to: string, paths?: readonly string[]): Promise<PathChange[]>;
  /**
   * The content of a blob.
   * @throws E_FILE_TOO_LARGE when it has more than `maximumBytes` (default unlimited); E_GIT_OBJECT, E_GIT_CORRUPT
   */
  readBlob(blobId: string, options?: { readonly maximumBytes?: number }): Promise<Uint8Array>;
  /**
   * Makes a commit whose tree is the parent's with `changes` laid over it (null removes; an empty folder is removed), and
   * pushes it as the new head of `branch`. When the branch is no longer at `parent` (or exists, without `parent`), it throws
   * E_GIT_PUSH_RACE. When nothing changes, nothing is pushed and `parent` is returned. It forces only for `isRoot`.
   * @throws E_GIT_PUSH_RACE, E_GIT_PUSH_DENIED, E_GIT_LOCKED, E_GIT_AUTH, E_GIT_REMOTE, E_GIT_PROTOCOL
   */
  commitAndPush(request: CommitRequest): Promise<string>;
  /**
   * Brings a branch from exactly `from` (undefined: it must not exist) to `to`, a commit that the remote has and that is here.
   * What only `from` reaches leaves the branch: this is a forced push with a lease.
   * @throws E_GIT_PUSH_RACE when it is elsewhere; E_GIT_PUSH_DENIED, E_GIT_LOCKED, E_GIT_AUTH, E_GIT_REMOTE, E_GIT_PROTOCOL
   */
  moveBranch(move: BranchMove): Promise<void>;
  /**
   * Deletes a branch that is at `expected`. A deleted branch is no error.
   * @throws E_GIT_PUSH_RACE when it is elsewhere; E_GIT_PUSH_DENIED, E_GIT_LOCKED, E_GIT_AUTH, E_GIT_REMOTE, E_GIT_PROTOCOL
   */
  deleteBranch(branch: string, expected: string, signal?: AbortSignal): Promise<void>;
  /** Releases connections and locks. */
  close(): Promise<void>;
}

export interface CommitRange {
  readonly from?: string;
  readonly to: string;
  readonly limit?: number;
  /** Commits of both ends together that may be visited: they are held in memory. Default: without a bound. */
  readonly maximumVisits?: number;
  /** The commits are returned without their messages. Default false. */
  readonly isBrief?: boolean;
}

export interface CommitRequest {
  readonly branch: string;
  /** The commit to build on; undefined makes the first commit of an orphan branch. */
  readonly parent: string | undefined;
  /** The branch must not exist yet: it begins with this commit on top of `parent`. Default false. */
  readonly isNewBranch?: boolean;
  /** The commit has the tree of `parent` with the changes, and no parent: the branch begins anew with it. Default false. */
  readonly isRoot?: boolean;
  /** By path. An executable file that is overwritten stays executable; a link becomes a file. */
  readonly changes: ReadonlyMap<string, NewContent>;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Default: the author. */
  readonly committer?: { readonly name: string; readonly email: string };
  readonly committedAtMs: number;
  /** Signs the commit's payload (returns an armoured signature). */
  readonly sign?: (payload: string) => Promise<string>;
  readonly signal?: AbortSignal;
}

/** Of a file in a new commit: text or bytes; null removes the file. */
export type NewContent = string | Uint8Array | Chunks | null;

export interface BranchMove {
  readonly branch: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly signal?: AbortSignal;
}

export interface GitCredentials {
  readonly kind: "token" | "basic";
  /** For `basic`; for `token` the field is the host's usual one when absent. */
  readonly username?: string;
  readonly secret: string;
}

/** The part of an engine that reads the files of commits that are here. */
export type GitReader = Pick<GitEngine, "readCommit" | "listFiles" | "readBlob" | "changedPaths">;

/** Every path of a commit, also of links and of files that are not read. @throws E_GIT_OBJECT, E_GIT_CORRUPT */
export async function listPaths(git: Pick<GitEngine, "listFiles">, commit: string): Promise<ReadonlySet<string>> {
  return new Set((await git.listFiles(commit)).map(({ path }) => path));
}

/**
 * The text of a file of a commit; empty when it has more bytes, undefined when there is none.
 * @throws E_GIT_OBJECT, E_GIT_CORRUPT
 */
export async function readTextAt(
  git: GitReader,
  commit: string,
  { path, maximumBytes }: { readonly path: string; readonly maximumBytes: number },
): Promise<string | undefined> {
  const file = (await git.listFiles(commit, [path])).find((each) => each.path === path && each.mode === "file");
  if (file === undefined) return undefined;
  try {
    return new TextDecoder().decode(await git.readBlob(file.blobId, { maximumBytes }));
  } catch (error) {
    if (isAppError(error, "E_FILE_TOO_LARGE")) return "";
    throw error;
  }
}
