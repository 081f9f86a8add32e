import { statusBranch, workspace } from "../daemon-process.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

const recordPrefix = `clusters/${workspace}/`;

/**
 * The status branch is a history that only grows, and only the daemon's own branches are ever moved by it. At rest it records
 * the clusters of the hub and no other.
 */
export function statusBranchGrows({ world, mirror, violate }: Scene): Invariant {
  const name = "the status branch only grows, and records the clusters of the hub";
  return {
    name,
    onRefUpdate: ({ branch, before, after, by }) => {
      if (by !== "people" && branch !== statusBranch) violate(name, `${by} moved the branch ${branch}`);
      if (branch !== statusBranch) return;
      if (after === undefined) violate(name, `${by} deleted the branch`);
      else if (before !== undefined && !world.remote.objects.ancestorsOf(after).has(before))
        violate(name, `${by} moved the branch to a commit that is not built on its head`);
    },
    atRest: () => {
      const head = world.remote.objects.commits.get(world.remote.refs.get(statusBranch) ?? "");
      const paths = [...(head?.files.keys() ?? [])].filter((path) => path.startsWith(recordPrefix)).sort();
      const wanted = [...mirror.below(clusterPrefix).keys()].map((cluster) => `${recordPrefix}${cluster}.yaml`).sort();
      if (paths.join() === wanted.join()) return;
      violate(name, `it records ${paths.join(", ")}, and the hub has ${wanted.join(", ")}`);
    },
  };
}
