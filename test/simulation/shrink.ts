import type { Deed } from "./deeds.ts";
import type { RunOptions, RunResult } from "./simulate.ts";
import { deedsOf, simulate } from "./simulate.ts";

/**
 * The shortest run found that violates the same invariant: fewer rounds, then fewer deeds, then fewer clusters. `mostRuns`
 * bounds the work; each run is a whole world.
 */
export async function shrink(failed: RunResult, mostRuns: number): Promise<RunResult> {
  const wanted = failed.violations[0]?.invariant;
  let best = failed;
  let runs = 0;
  const isWorse = async (options: RunOptions): Promise<boolean> => {
    if (runs++ >= mostRuns) return false;
    const result = await simulate(options);
    if (result.violations[0]?.invariant !== wanted) return false;
    best = result;
    return true;
  };
  let deeds: readonly Deed[] = deedsOf(failed.options).filter(({ atMs }) => atMs < failed.elapsedMs);
  for (
    let size = Math.ceil(deeds.length / 2);
    size >= 1 && runs < mostRuns;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < deeds.length;) {
      const fewer = [...deeds.slice(0, from), ...deeds.slice(from + size)];
      if (await isWorse({ ...best.options, deeds: fewer })) deeds = fewer;
      else from += size;
    }
  }
  for (let clusterCount = best.options.clusterCount - 1; clusterCount >= 3; clusterCount--) {
    if (!(await isWorse({ ...best.options, clusterCount }))) break;
  }
  return best;
}
