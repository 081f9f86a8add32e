import type { Log } from "../../core/log.ts";
import { compareNames } from "../../core/compare-names.ts";
import { isBranchName } from "../../git/branch-name.ts";
import type { GitEngine } from "../../git/git.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { statusBranchesOf } from "../../reconcile/status-branches.ts";
import { ShortMemory } from "../../core/short-memory.ts";
import { realClock } from "../../system/real-clock.ts";

/** Names of the branches that can be planned: all but the one that is applied and the one that is written. */
export type BranchLister = (repository: Repository | undefined) => Promise<readonly string[]>;

/** Listing asks the remote: many pages share one answer for a while. */
const keptMs = 5_000;
const mostNames = 500;

/** An unreachable remote leaves the list empty, and is logged: the rest of the page works without it. */
export function createBranchLister(git: GitEngine, log: Log): BranchLister {
  const state = new ShortMemory<readonly string[]>(realClock, { keptMs, most: 1 });
  const ask = async (): Promise<readonly string[]> => [...(await git.listBranches()).keys()].filter(isBranchName);
  return async (repository) => {
    const own = [repository?.spec.ref?.branch ?? "main", ...statusBranchesOf(repository)];
    try {
      const names = await state.recall("branches", ask);
      return names
        .filter((name) => !own.includes(name))
        .sort(compareNames)
        .slice(0, mostNames);
    } catch (error) {
      log.warn("the page cannot list the branches", { error });
      return [];
    }
  };
}
