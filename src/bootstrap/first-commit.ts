import { countOf } from "../core/count-of.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { GitEngine } from "../git/git.ts";
import { listPaths } from "../git/git.ts";
import type { BootstrapOptions, BootstrapStep, GitSecret } from "./bootstrap-options.ts";

const author = { name: "Rollcall", email: "rollcall@rollcall.dev" } as const;
const message = "Start a fleet\n\nFiles of `rollcall bootstrap`: no cluster is declared yet.\n";

/** What a forge writes into a repository when it makes it. */
const startFiles = /^(?:readme|licen[cs]e|copying|\.gitignore|\.gitattributes)(?:\.\w+)?$/iu;

/** A branch, and the files that it lacks: none where it has files of its own. */
interface BranchState {
  /** Undefined for a branch without a commit. */
  readonly head: string | undefined;
  readonly missing: ReadonlyMap<string, string>;
}

interface FirstCommitPlace {
  readonly secret: GitSecret;
  readonly isThere: boolean;
  readonly defaultBranch: string | undefined;
}

/**
 * Commits the first files: to an empty branch all of them, to one with nothing but what a forge puts there those that it does
 * not have. Any other branch is left as it is. `isThere` is false for a repository that a dry run would make, and for one
 * whose key it would make. `defaultBranch`: of the repository, where the forge names it.
 * @throws E_USAGE when the branch is not there, and the default branch has commits; E_GIT_PUSH_RACE when another commit came
 * meanwhile; E_GIT_PUSH_DENIED, E_GIT_AUTH, E_GIT_REMOTE
 */
export async function ensureFirstCommit(
  options: BootstrapOptions,
  { secret, isThere, defaultBranch }: FirstCommitPlace,
): Promise<BootstrapStep> {
  const { branch, files, isDryRun, nowMs, signal } = options;
  if (!isThere) return planned(branch, files);
  const git = await options.openGit(secret);
  try {
    const { head, missing } = await readBranch(git, options);
    if (head === undefined) await refuseSecondRoot(git, { branch, defaultBranch, signal });
    const state = { name: "commit", state: "unchanged" } as const;
    if (missing.size === 0) {
      const place = head === undefined ? "" : ` at ${shortCommit(head)}`;
      return { ...state, message: `${branch} stays${place}` };
    }
    if (isDryRun) return planned(branch, missing);
    const request = { branch, parent: head, changes: missing, message, author, committedAtMs: nowMs, signal };
    const commit = await git.commitAndPush(request);
    const what = `${countOf(missing.size, "file")} on ${branch}`;
    return { ...state, state: "created", message: `${shortCommit(commit)}, ${what}`, details: [...missing.keys()] };
  } catch (error) {
    throw withRemedy(error, options);
  } finally {
    await git.close();
  }
}

async function readBranch(git: GitEngine, { branch, files, signal }: BootstrapOptions): Promise<BranchState> {
  const head = await git.fetchHead(branch, signal);
  if (head === undefined) return { head, missing: files };
  const paths = await listPaths(git, head);
  const isNew = [...paths].every((path) => startFiles.test(path));
  return { head, missing: new Map(isNew ? [...files].filter(([path]) => !paths.has(path)) : []) };
}

/** A branch without a common history takes no pull request from the others. */
async function refuseSecondRoot(
  git: GitEngine,
  {
    branch,
    defaultBranch,
    signal,
  }: Pick<BootstrapOptions, "branch" | "signal"> & Pick<FirstCommitPlace, "defaultBranch">,
): Promise<void> {
  if (defaultBranch === undefined || defaultBranch === branch) return;
  if ((await git.fetchHead(defaultBranch, signal)) === undefined) return;
  const what = `the repository has no branch ${branch}, and its default branch ${defaultBranch} has commits`;
  throw new AppError("E_USAGE", `${what}: give --branch ${defaultBranch}, or push ${branch} first`);
}

function planned(branch: string, files: ReadonlyMap<string, string>): BootstrapStep {
  const text = `${countOf(files.size, "file")} on ${branch}`;
  return { name: "commit", state: "planned", message: text, details: [...files.keys()] };
}

/** A git server without an API gets the key from a person, between two runs. */
function withRemedy(error: unknown, { host, access }: BootstrapOptions): unknown {
  if (host !== undefined || access.kind !== "key" || !isAppError(error, "E_GIT_AUTH")) return error;
  if (error.data["reason"] === "host-key") return error;
  return new AppError("E_GIT_AUTH", error.message, {
    cause: error,
    remedy: "Add the deploy key above to the git server, with the right to push, and run the same command again.",
  });
}
