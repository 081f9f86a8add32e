import type { GitEngine } from "../git/git.ts";
import { isOfOther, markedName } from "./branch-owner.ts";
import type { BranchPlace } from "./read-branch.ts";
import { readBranch } from "./read-branch.ts";

/** Branches of the remote, each with its head. */
export type RemoteBranches = ReadonlyMap<string, string>;

/** Knows the branches that other hubs, or other Repositories of this hub, keep. Each head is read once. */
export class OtherBranches {
  readonly #git: GitEngine;
  /** By branch: the head at which another owner keeps it. */
  readonly #heads = new Map<string, string>();

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /** True for a branch that was found to be of another owner. */
  has(branch: string): boolean {
    return this.#heads.has(branch);
  }

  /** Forgets the branches that are deleted. */
  prune(remote: RemoteBranches): void {
    for (const branch of this.#heads.keys()) if (!remote.has(branch)) this.#heads.delete(branch);
  }

  /** @throws E_GIT_AUTH, E_GIT_REMOTE */
  async isOther(branch: string, remote: RemoteBranches, place: BranchPlace): Promise<boolean> {
    const head = remote.get(branch);
    if (head === undefined) return false;
    if (this.#heads.get(branch) === head) return true;
    this.#heads.delete(branch);
    const reading = await readBranch(this.#git, branch, place);
    if (reading === undefined || !isOfOther(reading.makers)) return false;
    this.#heads.set(branch, head);
    return true;
  }

  /** The branch for a plain name: the plain one unless another owner has it. One with a name of its own stays in use. */
  async branchFor(plain: string, remote: RemoteBranches, place: BranchPlace): Promise<string> {
    const marked = markedName(plain, place.owner);
    if (remote.has(marked)) return marked;
    return (await this.isOther(plain, remote, place)) ? marked : plain;
  }
}
