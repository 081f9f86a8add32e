const mostRuns = 3;

/**
 * CPU time (ms) of the quickest of three runs. Garbage of others, and the compiler, may fall into any one of them: what is
 * slow is so each time. A run that takes less than `enoughMs` (default 0) is the last one: a test that wants no less has its answer.
 */
export function leastCpuMs(work: () => unknown, enoughMs = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < mostRuns && least >= enoughMs; run += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
