import { AppError } from "../../core/errors.ts";
import { shortCommit } from "../../core/short-commit.ts";
import type { GitEngine } from "../../git/git.ts";
import { resolveBranch, resolveRevision } from "../../git/local/resolve-revision.ts";
import { missingBranch } from "../../review/missing-branch.ts";
import { canRead } from "../../git/objects/git-object.ts";
import { isLocalPath, readPath } from "../../settings/read-path.ts";
import type { Settings } from "../../settings/settings.ts";

// Which commit a plan is of, and which one it starts from, as options of `rollcall plan` name them.

/** A repository, and the branch of it that is followed. */
export interface Followed {
  readonly url: string;
  readonly git: GitEngine;
  readonly branch: string;
  readonly signal: AbortSignal;
}

/** The commit to plan: the one that is named, else in a folder the one that is checked out, else the head of the branch. */
export async function headOf(settings: Settings, followed: Followed): Promise<string> {
  const { url, git, branch, signal } = followed;
  const named = settings.text("commit");
  if (named !== undefined) return commitOf(named, "commit", followed);
  if (isCheckedOut(settings)) return resolveRevision("HEAD", { path: url, git });
  // A clone may know a branch of its remote alone.
  if (settings.isOn("offline") && settings.text("repo") === undefined) return resolveBranch(branch, url);
  const head = await git.fetchHead(branch, signal);
  if (head !== undefined) return head;
  throw await missingBranch(git, branch, signal);
}

/** The commit of --base. */
export async function baseOf(settings: Settings, followed: Followed): Promise<string | undefined> {
  const named = settings.text("base");
  return named === undefined ? undefined : commitOf(named, "base", followed);
}

/** The plan is of what is checked out in the current folder. */
export function isCheckedOut(settings: Settings): boolean {
  return settings.isOn("offline") && settings.text("repo") === undefined && !settings.isGiven("branch");
}

async function commitOf(named: string, option: string, followed: Followed): Promise<string> {
  const { url, git } = followed;
  if (isLocalPath(url)) return resolveRevision(named, { path: readPath(url, {}), git });
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(named)) return bringCommit(named, followed);
  const branches = option === "commit" ? ", and --branch plans the head of a branch" : "";
  throw new AppError(
    "E_USAGE",
    `--${option} is ${named}; of a repository that is not a folder here it is the whole id of a commit${branches}`,
  );
}

/** A commit of the branch, or the head of another one: a server need not give any other by its id. */
async function bringCommit(id: string, { git, branch, signal }: Followed): Promise<string> {
  const isHere = (): Promise<boolean> => canRead(id, (one) => git.readCommit(one));
  await git.fetchHead(branch, signal);
  if (await isHere()) return id;
  for (const [name, head] of await git.listBranches(signal)) {
    if (head === id && (await git.fetchHead(name, signal)) !== undefined && (await isHere())) return id;
  }
  throw new AppError(
    "E_GIT_OBJECT",
    `find commit ${shortCommit(id)} in ${git.url}: branch ${branch} does not have it, and no other branch is at it`,
    { remedy: "Push it, or plan a branch with --branch. In a clone with its whole history, a plan takes any commit." },
  );
}
