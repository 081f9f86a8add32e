import { isAppError } from "../../core/errors.ts";
import { isBranchName } from "../../git/branch-name.ts";
import type { Commit, GitEngine, PathChange } from "../../git/git.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { continuedCommit, defaultStatusBranch, statusBranchesOf } from "../../reconcile/status-branches.ts";

/** Commits of the status branch that are read. */
export const mostStatusCommits = 500;
const mostKeptPaths = 1_000;

/** The newest commits of the status branch, newest first, and the cluster records that each changed. Kept as the branch grows. */
export class StatusCommits {
  readonly #git: GitEngine;
  readonly #repository: () => Repository | undefined;
  #commits: readonly Commit[] = [];
  readonly #changes = new Map<string, readonly PathChange[]>();

  constructor(git: GitEngine, repository: () => Repository | undefined) {
    this.#git = git;
    this.#repository = repository;
  }

  /** Empty when the branch does not exist. @throws E_GIT_REMOTE and others of a fetch */
  async list(): Promise<readonly Commit[]> {
    const head = await this.#head();
    // Another answer may be made meanwhile: what is added belongs on top of these.
    const before = this.#commits;
    const [known] = before;
    if (head === undefined || head === known?.id) return head === undefined ? [] : before;
    const limit = mostStatusCommits;
    const added = await this.#git.listCommits({ to: head, limit, ...(known ? { from: known.id } : {}) });
    const isGrown = known !== undefined && added.at(-1)?.parents[0] === known.id;
    if (isGrown) this.#commits = [...added, ...before].slice(0, limit);
    else this.#commits = await this.#withPast(known ? await this.#git.listCommits({ to: head, limit }) : added, limit);
    const ids = new Set(this.#commits.map(({ id }) => id));
    for (const id of this.#changes.keys()) if (!ids.has(id)) this.#changes.delete(id);
    return this.#commits;
  }

  /** The cluster records that a commit changed, or the one at `path` if it did. */
  async changesOf({ id, parents }: Commit, path?: string): Promise<readonly PathChange[]> {
    const known = this.#changes.get(id);
    if (known) return path === undefined ? known : known.filter((change) => change.path === path);
    const [parent] = parents;
    // The first commit adds every record.
    if (parent === undefined) return this.compare(undefined, id, path);
    const changes = await this.compare(parent, id);
    if (changes.length <= mostKeptPaths) this.#changes.set(id, changes);
    return path === undefined ? changes : changes.filter((change) => change.path === path);
  }

  /** The cluster records that differ between two commits; none where a commit is not here any more. */
  async compare(from: string | undefined, to: string, path = "clusters"): Promise<readonly PathChange[]> {
    try {
      return await this.#git.changedPaths(from, to, [path]);
    } catch (error) {
      if (isAppError(error, "E_GIT_OBJECT") || isAppError(error, "E_TOO_MANY_FILES")) return [];
      throw error;
    }
  }

  /** The commits, and after a first one that represents others, these: the newest of them shows as its parent. */
  async #withPast(commits: readonly Commit[], limit: number): Promise<readonly Commit[]> {
    const first = commits.at(-1);
    const before = first?.parents.length === 0 ? continuedCommit(first.message) : undefined;
    if (first === undefined || before === undefined || commits.length === limit) return commits;
    const [, past] = statusBranchesOf(this.#repository());
    if (!(await this.#isHere(before))) await this.#git.fetchHead(past);
    const older = await this.#git.listCommits({ to: before, limit: limit - commits.length });
    return older.length === 0 ? commits : [...commits.slice(0, -1), { ...first, parents: [before] }, ...older];
  }

  /** The commit that this daemon wrote last is here; another one's is fetched. */
  async #head(): Promise<string | undefined> {
    const { spec, status } = this.#repository() ?? {};
    const own = status?.statusCommit;
    if (own !== undefined && (await this.#isHere(own))) return own;
    const branch = spec?.writeBack?.branch ?? defaultStatusBranch;
    return spec !== undefined && isBranchName(branch) ? this.#git.fetchHead(branch) : undefined;
  }

  async #isHere(id: string): Promise<boolean> {
    if (this.#commits.some((commit) => commit.id === id)) return true;
    try {
      await this.#git.readCommit(id);
      return true;
    } catch (error) {
      if (isAppError(error, "E_GIT_OBJECT")) return false;
      throw error;
    }
  }
}
