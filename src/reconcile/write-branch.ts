import { AppError } from "../core/errors.ts";
import type { GitEngine } from "../git/git.ts";
import type { CommitPerson } from "../planning/written-by.ts";
import type { BranchOwner } from "./branch-owner.ts";
import { isOfOther, isOursAlone, makerOf, withOwner } from "./branch-owner.ts";
import { statusAuthor } from "./status-branches.ts";

export interface BranchRequest {
  readonly branch: string;
  /** What the branch holds besides the files of `source`, by path; null removes a file. None: the branch is not needed. */
  readonly files: ReadonlyMap<string, string | null>;
  /** The commit of the followed branch that the files were made for; a new branch begins on top of it. */
  readonly source: string;
  /** Without the trailers that name the owner. */
  readonly message: string;
  /** Default: Rollcall, which is the committer in any case. */
  readonly author?: CommitPerson | undefined;
  readonly owner: BranchOwner;
  /** Whether files that only we wrote on the branch get a new content. Default false: they stay as they are. */
  readonly isUpdated?: boolean;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Brings a branch of proposed files to hold these; returns its head, or undefined when there is none. A branch that is merged
 * or not needed is deleted. It is never forced, and the commits and files of a person on it stay. A branch that another owner
 * made meanwhile is a lost race: nothing of it is changed.
 * @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE
 */
export async function writeBranch(git: GitEngine, request: BranchRequest): Promise<string | undefined> {
  const { branch, files, source, owner, isUpdated = false, signal } = request;
  let tip = await git.fetchHead(branch, signal);
  if (tip !== undefined && (await git.isAncestor(tip, source))) {
    await git.deleteBranch(branch, tip, signal);
    tip = undefined;
  }
  if (tip === undefined) {
    return files.size === 0 ? undefined : commitFiles(git, request, { parent: source, changes: files });
  }
  const commits = await git.listCommits({ from: source, to: tip, limit: Infinity });
  const makers = commits.map((commit) => makerOf(commit, owner));
  if (isOfOther(makers)) throw new AppError("E_GIT_PUSH_RACE", `write ${branch}: another hub or Repository made it`);
  const isAlone = isOursAlone(makers);
  if (files.size === 0 && isAlone) {
    await git.deleteBranch(branch, tip, signal);
    return undefined;
  }
  const fork = commits.at(-1)?.parents[0];
  const there = await git.changedPaths(fork, tip);
  const changes = new Map<string, string | null>();
  const paths = new Set(there.map(({ path }) => path));
  for (const [path, content] of files) if (!paths.has(path) || (isUpdated && isAlone)) changes.set(path, content);
  if (isAlone)
    for (const { path, before } of there) if (before === undefined && !files.has(path)) changes.set(path, null);
  return changes.size === 0 ? tip : commitFiles(git, request, { parent: tip, changes });
}

async function commitFiles(
  git: GitEngine,
  { branch, source, message, author = statusAuthor, owner, nowMs, signal }: BranchRequest,
  { parent, changes }: { readonly parent: string; readonly changes: ReadonlyMap<string, string | null> },
): Promise<string> {
  return git.commitAndPush({
    branch,
    parent,
    ...(parent === source ? { isNewBranch: true } : {}),
    changes,
    message: withOwner(message, owner),
    author,
    committer: statusAuthor,
    committedAtMs: nowMs,
    signal,
  });
}
