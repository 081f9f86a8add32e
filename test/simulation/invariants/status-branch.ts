import { statusBranch } from "../daemon-process.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** The status branch is a history that only grows, and only the daemon's own branches are ever moved by it. */
export function statusBranchGrows({ world, violate }: Scene): Invariant {
  const name = "the status branch only grows";
  return {
    name,
    onRefUpdate: ({ branch, before, after, by }) => {
      if (by !== "people" && branch !== statusBranch) violate(name, `${by} moved the branch ${branch}`);
      if (branch !== statusBranch) return;
      if (after === undefined) violate(name, `${by} deleted the branch`);
      else if (before !== undefined && !world.remote.objects.ancestorsOf(after).has(before))
        violate(name, `${by} moved the branch to a commit that is not built on its head`);
    },
  };
}
