import { cpuMsOf, slownessNow } from "./of-this-machine.ts";

const mostRuns = 3;

/**
 * CPU time (ms) of the quickest of three runs, as on the machine of the bounds: divided by how many times as long this one takes
 * now. Garbage of others, and the compiler, may fall into any one of them: what is slow is so each time. A run that takes less than
 * `enoughMs` (default 0) is the last one, and is not divided: a test that wants no less has its answer.
 */
export function leastCpuMs(work: () => unknown, enoughMs = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < mostRuns && least >= enoughMs; run += 1) {
    const cpuMs = cpuMsOf(work);
    least = Math.min(least, cpuMs < enoughMs ? cpuMs : cpuMs / slownessNow());
  }
  return least;
}
