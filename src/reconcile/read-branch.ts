import type { GitEngine } from "../git/git.ts";
import type { BranchOwner, CommitMaker } from "./branch-owner.ts";
import { makerOf } from "./branch-owner.ts";

export interface BranchPlace {
  /** The commit of the followed branch that the files were made for. */
  readonly source: string;
  readonly owner: BranchOwner;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** A branch as the remote has it. */
export interface BranchReading {
  readonly tip: string;
  /** Where it leaves the followed branch; undefined when it is merged, or has no commit of it. */
  readonly fork: string | undefined;
  /** Who made its commits; of a merged branch, its newest one. */
  readonly makers: readonly CommitMaker[];
}

/**
 * Undefined: there is no such branch.
 * @throws E_GIT_AUTH, E_GIT_REMOTE
 */
export async function readBranch(
  git: Pick<GitEngine, "fetchHead" | "listCommits" | "readCommit">,
  branch: string,
  { source, owner, signal }: BranchPlace,
): Promise<BranchReading | undefined> {
  const tip = await git.fetchHead(branch, signal);
  if (tip === undefined) return undefined;
  const commits = await git.listCommits({ from: source, to: tip, limit: Infinity });
  const shown = commits.length > 0 ? commits : [await git.readCommit(tip)];
  return { tip, fork: commits.at(-1)?.parents[0], makers: shown.map((commit) => makerOf(commit, owner)) };
}

/** True when the followed branch has the files of a branch, or the branch only adds files. */
export async function isSettled(
  git: Pick<GitEngine, "changedPaths" | "listFiles">,
  source: string,
  { fork, tip }: Pick<BranchReading, "fork" | "tip">,
): Promise<boolean> {
  if (fork === undefined) return true;
  const changes = await git.changedPaths(fork, tip);
  if (changes.every(({ before }) => before === undefined)) return true;
  const now = new Map((await git.listFiles(source)).map(({ path, blobId }) => [path, blobId]));
  return changes.every(({ path, after }) => now.get(path) === after?.blobId);
}
